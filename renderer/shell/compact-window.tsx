import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useParts } from '../state/window-parts.ts'
import { Strip } from '../strip/strip.tsx'
import { BannerArea, RefusalNotice } from './banner.tsx'
import { Dialogs } from './dialogs.tsx'
import { PausedBanner } from './paused-banner.tsx'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The window as one line with its banner, for a small window in a corner of the screen. */
export function CompactWindow({ inert }: { readonly inert: boolean }) {
  const { view } = useParts()
  return (
    <div className={css('compact-window')} inert={inert}>
      <div className={css('compact')}>
        <Strip />
        <button type="button" className={css('button')} onClick={() => view.setState({ compact: false })}>
          Expand
        </button>
      </div>
      <PausedBanner />
      <BannerArea />
      <Dialogs />
      <RefusalNotice />
    </div>
  )
}
