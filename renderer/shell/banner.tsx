import { unbroken } from '../../app/status/durations.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { BANNER_ACTION_LABELS, type BannerAction, bannerFor } from '../format/banner.ts'
import { useMomentValue, useParts, useView } from '../state/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf(sheet)

export function BannerArea() {
  const { link, clock, view } = useParts()
  const banner = useMomentValue(({ mirror, snapshot }) => bannerFor(mirror.link, snapshot, clock.wallMs()))
  if (banner === undefined) return null

  const act = (action: BannerAction) => {
    if (action === 'connect-a-key') view.setState({ dialog: 'connect' })
    else link.tryNow()
  }
  const { action } = banner
  return (
    <section
      className={css('banner', 'box')}
      aria-label="Notice"
      data-banner={banner.id}
      data-severity={banner.severity}
    >
      <Shape severity={banner.severity} />
      <p>
        <b>{unbroken(banner.title)}</b> <span>{unbroken(banner.text)}</span>
      </p>
      {action !== undefined && (
        <Button look={css('small', action === 'connect-a-key' && 'primary')} onClick={() => act(action)}>
          {BANNER_ACTION_LABELS[action]}
        </Button>
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
        <div className={css('notice', 'box')}>
          <Shape severity="warning" />
          <span>{notice}</span>
          <Button look="ghost" onClick={() => view.setState({ notice: undefined })}>
            Close
          </Button>
        </div>
      )}
    </div>
  )
}
