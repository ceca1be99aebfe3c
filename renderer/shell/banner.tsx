import { useMemo } from 'react'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { BANNER_ACTION_LABELS, type Banner, type BannerAction, bannerFor } from '../format/banner.ts'
import { unbroken } from '../format/unbroken.ts'
import { useCommand } from '../hooks/use-command.ts'
import { useMoment, useParts, useShown, useView } from '../state/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The area of the most urgent banner. */
export function BannerArea() {
  const { api, link, clock, view } = useParts()
  const run = useCommand()
  // Compared as text, so that it renders only when the text changes.
  const said = useMoment(({ mirror, snapshot, nowMs }) =>
    JSON.stringify(bannerFor(mirror.link, snapshot, nowMs, clock.wallMs())),
  )
  const profile = useShown((snapshot) => snapshot.profile.id)
  const banner = useMemo(() => (said === undefined ? undefined : (JSON.parse(said) as Banner)), [said])
  if (banner === undefined) return null

  const act = (action: BannerAction) => {
    switch (action) {
      case 'connect-a-key':
        view.setState({ dialog: 'connect' })
        return
      case 'sign-in':
      case 'correct-key':
        view.setState({ dialog: 'sign-in' })
        return
      case 'try-now':
      case 'save-now':
        if (profile !== undefined) run(() => api.tryNow({ profile }))
        return
      case 'store-unprotected':
        run(() => api.allowUnprotected())
        return
      case 'reach-host':
        link.tryNow()
    }
  }
  const { action } = banner
  const isPrimary =
    action === 'connect-a-key' ||
    action === 'correct-key' ||
    (action === 'sign-in' && banner.severity === 'critical')
  return (
    <section
      className={css('banner')}
      aria-label="Notice"
      data-banner={banner.id}
      data-severity={banner.severity}
    >
      <Shape severity={banner.severity} />
      <p>
        <b>{unbroken(banner.title)}</b> <span>{unbroken(banner.text)}</span>
      </p>
      {action !== undefined && (
        <button
          type="button"
          className={css('button', 'small', isPrimary && 'primary')}
          onClick={() => act(action)}
        >
          {BANNER_ACTION_LABELS[action]}
        </button>
      )}
    </section>
  )
}

/** The last error of a command, until it is dismissed. */
export function RefusalNotice() {
  const { view } = useParts()
  const notice = useView((state) => state.notice)
  return (
    <div className={css('notices')} role="alert">
      {notice !== undefined && (
        <div className={css('notice')}>
          <Shape severity="warning" />
          <span>{notice}</span>
          <button
            type="button"
            className={css('button', 'ghost')}
            onClick={() => view.setState({ notice: undefined })}
          >
            Close
          </button>
        </div>
      )}
    </div>
  )
}
