import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { sinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { rateText } from '../../app/status/rates.ts'

export interface Fact {
  readonly name: string
  readonly value: string
  /** What it means, where the name alone does not say. */
  readonly about?: string
}

/** What is known of one row, and how well. A dash where nothing is. */
export function detailFacts(quota: RequestQuota, nowMs: number): readonly Fact[] {
  const { limit, period, resource, used, burn, rejected, observedAt } = quota
  const isSeen = quota.source !== 'default'
  return [
    { name: 'Source', value: SOURCES[quota.source] },
    {
      name: 'Last header',
      value:
        observedAt === undefined || quota.seen === undefined
          ? '—'
          : `${quota.seen} at ${clockText(observedAt)}, ${sinceText(observedAt, nowMs)} ago`,
    },
    {
      name: 'Between',
      value: isSeen ? `${quota.low} and ${quota.high}` : '—',
      about: 'The lowest and the highest that the headers and the time since allow.',
    },
    {
      name: 'Model',
      value: `${MODELS[quota.model]}, ${quota.confidence === 'observed' ? 'seen in headers' : 'assumed'}`,
    },
    { name: 'Limit', value: `${limit} in ${period} s` },
    {
      name: quota.model === 'rolling' ? 'One returns every' : 'Window ends',
      value:
        quota.model === 'rolling'
          ? `${Number((period / limit).toFixed(2))} s`
          : quota.windowEndsAt === undefined
            ? '—'
            : clockText(quota.windowEndsAt),
    },
    {
      name: 'Use, last 1 and 5 min',
      value: burn === undefined ? '—' : `${rateText(burn.short)} and ${rateText(burn.long)}`,
      ...(burn && {
        about: `A forecast rests on the last ${burn.basis === 'short' ? 'minute' : 'five minutes'}.`,
      }),
    },
    { name: 'Resource', value: resource ?? '—', about: 'As X-RateLimit-Resource names it.' },
    {
      name: 'Used since start',
      value:
        used === undefined ? '—' : `${Math.round(used.own)} here, ${Math.round(used.elsewhere)} elsewhere`,
    },
    { name: '429s since start', value: String(rejected) },
  ]
}

const SOURCES: Readonly<Record<RequestQuota['source'], string>> = {
  header: 'the last header',
  modelled: 'modelled since the last header',
  default: 'the standard table: nothing seen yet',
}

const MODELS: Readonly<Record<RequestQuota['model'], string>> = {
  rolling: 'rolling interval',
  fixed: 'fixed window',
}
