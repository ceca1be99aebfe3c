import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { Shape } from '../theme/shape.tsx'
import { useCommand } from '../view/use-command.ts'
import { shownSnapshot, useMirror, useParts, useShown, useView } from '../view/window-parts.ts'
import { BANNER_ACTION_WORDS, type BannerAction, bannerFor } from '../words/banner.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** One banner at a time, the most urgent. */
export function BannerArea() {
  const { api, link, mirror, clock, ticker, view } = useParts()
  const run = useCommand()
  // Both clocks move with the ticker; the link's word counts before there is any snapshot.
  useShown((_, nowMs) => Math.floor(nowMs / 250))
  const linkNow = useMirror((state) => state.link)
  useView((state) => state.profile)
  const snapshot = shownSnapshot(mirror.getState(), view.getState())
  const nowMs = Math.max(ticker.nowMs(), snapshot?.at ?? 0)
  const banner = bannerFor(linkNow, snapshot, nowMs, clock.wallMs())
  if (banner === undefined) return null

  const act = (action: BannerAction) => {
    switch (action) {
      case 'connect-a-key':
      case 'sign-in':
        view.setState({ dialog: 'connect' })
        return
      case 'try-now':
        if (snapshot !== undefined) run(() => api.tryNow({ profile: snapshot.profile.id }))
        return
      case 'reach-host':
        link.tryNow()
    }
  }
  const { action } = banner
  const isPrimary = action === 'connect-a-key' || (action === 'sign-in' && banner.severity === 'critical')
  return (
    <section className={css('banner', banner.severity)} aria-label="Notice" data-banner={banner.id}>
      <Shape severity={banner.severity} />
      <p>
        <b>{banner.title}</b> <span>{banner.text}</span>
      </p>
      {action !== undefined && (
        <button type="button" className={css('button', isPrimary && 'primary')} onClick={() => act(action)}>
          {BANNER_ACTION_WORDS[action]}
        </button>
      )}
    </section>
  )
}

/** The last refusal, until it is read. */
export function RefusalNotice() {
  const { view } = useParts()
  const notice = useView((state) => state.notice)
  return (
    <div className={css('notices')} role="alert">
      {notice !== undefined && (
        <div className={css('notice')}>
          <Shape severity="watch" />
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
