import { clockText } from '../../app/status/moments.ts'
import { countText, shareText } from '../../app/status/rates.ts'
import { openStreams } from '../../app/status/stream-status.ts'
import { classesOf } from '../components/classes.ts'
import { useShown } from '../state/window-parts.ts'
import sheet from './header.module.css'

const css = classesOf(sheet)

/** Headroom's own use of the key: streams, checks and their share. */
export function OwnUse() {
  const streams = useShown((snapshot) => countText(openStreams(snapshot.streams).length, 'stream'))
  const probes = useShown(({ probes }) =>
    probes.enabled ? `${countText(Math.round(probes.perMinute * 10) / 10, 'check')}/min` : 'checks off',
  )
  const used = useShown((snapshot) => shareText(snapshot.probes.usedFraction))
  const cap = useShown(({ probes }) => `${Math.round(probes.budgetFraction * 1000) / 10} %`)
  const isOver = useShown(({ probes }) => probes.usedFraction > probes.budgetFraction) ?? false
  const about = useShown(({ at, probes }) => {
    const over =
      probes.usedFraction > probes.budgetFraction ? ' Over the cap: checks slow down. No action needed.' : ''
    return `Headroom’s own count, at ${clockText(at)}. Its checks use at most ${shareText(probes.budgetFraction)} of a quota on average.${over}`
  })
  if (streams === undefined) return null
  return (
    <span className={css('pill', 'own-use')} data-testid="own-use" title={about}>
      <span className={css('streams')}>{streams} · </span>
      <span className={css('checks')}>
        <strong>{probes}</strong>{' '}
      </span>
      <span className={css(isOver && 'over')} data-testid="own-use-share">
        {used} used<span className={css('cap')}>, cap {cap}</span>
      </span>
    </span>
  )
}
