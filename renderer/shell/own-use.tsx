import { conditionsOf, isStopped } from '../../app/conditions/evaluate.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { clockText } from '../../app/status/moments.ts'
import { countText, shareText } from '../../app/status/rates.ts'
import { openStreams } from '../../app/status/stream-status.ts'
import { classesOf } from '../components/classes.ts'
import { useShown } from '../state/window-parts.ts'
import sheet from './header.module.css'

const css = classesOf(sheet)

/** A share in per cent, rounded as displayed. So a share never exceeds a cap that is displayed as equal. */
const tenths = (share: number) => Math.round(share * 1000) / 10

/** Whether checks exceed their cap by more than one check. The cap applies only on average. */
function isOverCap(snapshot: Snapshot, nowMs: number): boolean {
  const { usedFraction, budgetFraction } = snapshot.probes
  const oneCheck = 1 / Math.min(...snapshot.requests.map(({ limit }) => limit))
  return tenths(usedFraction) > tenths(budgetFraction + oneCheck) && !isPaused(snapshot, nowMs)
}

const isPaused = (snapshot: Snapshot, nowMs: number) => isStopped(conditionsOf(snapshot, nowMs))

/** Why no checks are made: `checks off`, or `checks paused` while all calls fail. `''` if checks are made. */
function noChecksText(snapshot: Snapshot, nowMs: number): string {
  if (!snapshot.probes.enabled) return 'checks off'
  return isPaused(snapshot, nowMs) ? 'checks paused' : ''
}

export function OwnUse() {
  const streams = useShown((snapshot) => countText(openStreams(snapshot.streams).length, 'stream'))
  const none = useShown(noChecksText)
  const checks = useShown(({ probes }) => `${countText(Math.round(probes.perMinute * 10) / 10, 'check')}/min`)
  const used = useShown((snapshot) => shareText(snapshot.probes.usedFraction))
  const cap = useShown(({ probes }) => `${tenths(probes.budgetFraction)} %`)
  const isOver = useShown(isOverCap) ?? false
  const about = useShown((snapshot, nowMs) => {
    const { at, probes } = snapshot
    const over = isOverCap(snapshot, nowMs) ? ' Over the cap: checks slow down. No action needed.' : ''
    return `Counted by Headroom at ${clockText(at)}. Its checks use at most ${shareText(probes.budgetFraction)} of a quota on average.${over}`
  })
  if (streams === undefined) return null
  return (
    <span className={css('pill', 'own-use')} data-testid="own-use" title={about}>
      <span className={css('streams')}>{streams} · </span>
      {none ? (
        <strong>{none}</strong>
      ) : (
        <>
          <span className={css('checks')}>
            <strong>{checks}</strong>,{' '}
          </span>
          <span className={css('instead')}>checks: </span>
          <span className={css(isOver && 'over')} data-testid="own-use-share">
            {used}
            <span className={css('checks')}> of quotas</span>
            {isOver && ', over cap'}
            {isOver && <span className={css('cap')}> {cap}: slowing</span>}
          </span>
        </>
      )}
    </span>
  )
}
