import { clockText } from '../../app/status/moments.ts'
import { countText, shareText } from '../../app/status/rates.ts'
import { classesOf } from '../theme/classes.ts'
import { useShown } from '../view/window-parts.ts'
import sheet from './shell.module.css'

const css = classesOf(sheet)

/** What this app itself costs the key. All of it is counted here, so it is as old as the snapshot. */
export function OwnUse() {
  const streams = useShown((snapshot) => countText(openStreams(snapshot.streams), 'own stream'))
  const probes = useShown(({ probes }) =>
    probes.enabled ? `${countText(Math.round(probes.perMinute * 10) / 10, 'probe')}/min` : 'probes off',
  )
  const used = useShown((snapshot) => shareText(snapshot.probes.usedFraction))
  const about = useShown(
    ({ at, probes }) =>
      `Counted by Headroom itself, as of ${clockText(at)}. Its probes may use ${shareText(probes.budgetFraction)} of a quota.`,
  )
  if (streams === undefined) return null
  return (
    <span className={css('pill', 'own-use')} data-testid="own-use" title={about}>
      {streams} · {probes} · <span className={css('roomy')}>this app</span> used <strong>{used}</strong>
    </span>
  )
}

const openStreams = (streams: readonly { readonly state: string }[]) =>
  streams.filter((stream) => stream.state !== 'closed').length
