import { Component, type ReactNode } from 'react'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import sheet from './shell.module.css'

const css = classesOf(sheet)

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
        <Button look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </main>
    )
  }
}
