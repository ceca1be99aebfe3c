import { problemAdvice, problemDetail, problemTitle } from '../../app/conditions/messages/problems.ts'
import { OTHERS_ARE } from '../../app/conditions/messages/rows.ts'
import type { DeskSummary } from '../../app/contract/desk.ts'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { safeFactText } from '../../app/status/allowance.ts'
import { sinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { deskText, nextCheckText, othersText, pollerText } from '../../app/status/quota-status.ts'
import { rateText } from '../../app/status/rates.ts'

export interface Fact {
  readonly name: string
  readonly value: string
  readonly about?: string
}

/** The facts of one row, with their sources. An unknown fact is a dash. */
export function detailFacts(quota: RequestQuota, nowMs: number, desk: DeskSummary | undefined) {
  const { limit, period, resource, used, use, rejected, observedAt } = quota
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
      name: 'Requests left (range)',
      value: isSeen ? `${quota.low}–${quota.high}` : '—',
      about: 'From the certain minimum to the possible maximum.',
    },
    ...problemFacts(quota, nowMs),
    ...(use?.desk === undefined
      ? []
      : [
          {
            name: 'The desk uses',
            value: perSecondText(deskText(quota, desk)),
            about: 'Counted by the desk’s other machines.',
          },
        ]),
    {
      name: 'Others use',
      value: perSecondText(othersText(quota)),
      about: `${OTHERS_ARE} Estimated from headers.`,
    },
    ...(quota.poller === undefined
      ? []
      : [{ name: 'Others are', value: pollerText(quota.poller), about: 'Recognised by equal intervals.' }]),
    {
      name: 'Safe pace',
      value: safeFactText(quota, nowMs),
      about: 'For all own requests, if others use their highest likely rate.',
    },
    { name: 'Next check', value: nextCheckText(quota, nowMs) || '—' },
    {
      name: 'Model',
      value: `${MODELS[quota.model]}, ${quota.confidence === 'observed' ? 'seen in headers' : 'assumed'}`,
    },
    { name: 'Limit', value: `${limit} in ${period} s` },
    {
      name: quota.model === 'rolling' ? 'Refills every' : 'Window ends',
      value:
        quota.model === 'rolling'
          ? `${Number((period / limit).toFixed(2))} s`
          : quota.windowEndsAt === undefined || quota.windowEndsAt <= nowMs
            ? '—'
            : clockText(quota.windowEndsAt),
    },
    {
      name: 'Others’ use (range)',
      value:
        use?.elsewhereLow === undefined || use.elsewhereHigh === undefined
          ? '—'
          : `${rateText(use.elsewhereLow)} to ${rateText(use.elsewhereHigh)}`,
      about: 'Others’ use is in this range nine times in ten.',
    },
    { name: 'Resource', value: resource ?? '—', about: 'From X-RateLimit-Resource.' },
    {
      name: 'Used since start',
      value: used === undefined ? '—' : usedText(used),
    },
    { name: '429s since start', value: String(rejected) },
  ]
}

/**
 * Who used the quota: `12 by Headroom, 30 by others`. With a desk: `12 by this machine, 5 by the desk, 30 by
 * others`.
 */
function usedText({ own, desk, elsewhere }: NonNullable<RequestQuota['used']>): string {
  const byOthers = `${Math.round(elsewhere)} by others`
  return desk === undefined
    ? `${Math.round(own)} by Headroom, ${byOthers}`
    : `${Math.round(own)} by this machine, ${Math.round(desk)} by the desk, ${byOthers}`
}

/** How much each program behind the gateway has used a row; empty if no program has used it. */
export const programsText = ({ programs = [] }: Pick<Snapshot, 'programs'>, category: string): string =>
  programs
    .flatMap(({ name, use }) => {
      const own = use.find((one) => one.category === category)
      if (own === undefined) return []
      return `${name} ${rateText(own.perSecond)}${own.waiting > 0 ? `, ${own.waiting} waiting` : ''}`
    })
    .join(' · ')

function problemFacts({ category, problem }: RequestQuota, nowMs: number): readonly Fact[] {
  if (problem === undefined) return []
  const sentences = [
    `${problemTitle(category, problem)}.`,
    problemDetail(problem, nowMs),
    problemAdvice([category], problem),
  ]
  return [{ name: 'Last response', value: sentences.join(' ') }]
}

const perSecondText = (rate: string) => (rate === '?' || rate === '0' ? rate : `${rate}/s`)

const SOURCES: Readonly<Record<RequestQuota['source'], string>> = {
  header: 'the last header',
  modelled: 'estimate since the last header',
  default: 'documented default, not checked yet',
}

const MODELS: Readonly<Record<RequestQuota['model'], string>> = {
  rolling: 'rolling interval',
  fixed: 'fixed window',
}
