import { Component, type ReactNode } from 'react'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

interface FailureBoundaryProps {
  readonly children: ReactNode
}

/** If a component throws, shows a message instead of an empty window. Such an error is a bug. */
export class FailureBoundary extends Component<FailureBoundaryProps, { readonly failed: boolean }> {
  override readonly state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main className={css('waiting')} role="alert">
        <p>This window failed. Headroom keeps running.</p>
        <button type="button" className={css('button', 'primary')} onClick={() => location.reload()}>
          Reload
        </button>
      </main>
    )
  }
}
