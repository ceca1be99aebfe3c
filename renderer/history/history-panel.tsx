import { Suspense, useCallback, useMemo } from 'react'
import type { History } from '../../app/contract/history.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'
import { countText } from '../../app/status/rates.ts'
import { REGULAR_SESSION_TEXT, sessionMoments } from '../../app/status/regular-session.ts'
import { useChosenCategory } from '../capacity/chosen-category.ts'
import { chartMarkers } from '../charts/markers.ts'
import { RANGES } from '../charts/ranges.ts'
import { classesOf } from '../components/classes.ts'
import { loadedLater } from '../components/loaded-later.ts'
import { Shape } from '../components/shape.tsx'
import { useRepeated } from '../hooks/use-repeated.ts'
import type { ChartRange } from '../state/view-state.ts'
import {
  useMirror,
  useParts,
  usePausedSince,
  useQuota,
  useShown,
  useSnapshot,
  useView,
} from '../state/window-parts.ts'
import sheet from './history.module.css'
import { HistoryTabs } from './history-tabs.tsx'
import { type ChartSeries, chartSeries, emptyLabel } from './series.ts'

const css = classesOf(sheet)

// These parts are separate chunks, loaded after the numbers are shown.
const RowDetailsPanel = loadedLater(async () => (await import('../details/row-details.tsx')).RowDetailsPanel)
const HistoryTable = loadedLater(async () => (await import('./history-table.tsx')).HistoryTable)
const HistoryChart = loadedLater(async () => (await import('./history-chart.tsx')).HistoryChart)

/** Width of a wide chart in pixels. */
const MAX_PIXELS = 900
/**
 * Minimum time between two renders of the chart, in milliseconds. The shortest range moves by two pixels in
 * this time. Rendering the chart takes longer than rendering all numbers of the window.
 */
const MIN_STEP_MS = 2000

const NOTHING: History = { points: [], rejectedAt: [] }

export function HistoryPanel() {
  const category = useChosenCategory()
  const panel = useView((view) => view.panel)
  return (
    <section className={css('panel', 'history')} aria-labelledby="history-title" data-history={category}>
      <div className="head">
        <h2 id="history-title" title={category}>
          {category ?? 'History'}
        </h2>
        <span className={css('about', 'cut')}>{panel === 'details' ? 'details' : 'requests left'}</span>
        <HistoryTabs />
      </div>
      {category !== undefined &&
        (panel === 'details' ? (
          <Suspense fallback={null}>
            <RowDetailsPanel key={category} category={category} />
          </Suspense>
        ) : (
          <HistoryBody category={category} asTable={panel === 'table'} />
        ))}
    </section>
  )
}

function HistoryBody({ category, asTable }: { readonly category: string; readonly asTable: boolean }) {
  const range = useView((view) => view.range)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const history = useHistory(profile, category, range)
  const series = useSeries(category, history ?? NOTHING, range)
  if (series === undefined) return null
  if (asTable)
    return (
      <Suspense fallback={null}>
        <HistoryTable category={category} history={history ?? NOTHING} range={range} />
      </Suspense>
    )
  return (
    <div className={css('body')}>
      <div className={css('chart')}>
        {series.rows.length === 0 && series.gaps.length === 0 && history !== undefined && (
          <p className={css('empty')}>No data in this range.</p>
        )}
        <Suspense fallback={null}>
          <LabelledChart category={category} series={series} profile={profile} />
        </Suspense>
      </div>
      <Legend series={series} />
    </div>
  )
}

interface LabelledChartProps {
  readonly category: string
  readonly series: ChartSeries
  readonly profile: string | undefined
}

function LabelledChart({ category, series, profile }: LabelledChartProps) {
  const events = useMirror((mirror) => mirror.events)
  const { rejectedAt, fromMs, nowMs } = series
  const markers = useMemo(
    () => chartMarkers(events, rejectedAt, { profile, fromMs, toMs: nowMs }),
    [events, rejectedAt, profile, fromMs, nowMs],
  )
  const empties = useQuota(category, emptyLabel)
  return (
    <HistoryChart series={series} markers={markers} summary={summary(category, series)} empties={empties} />
  )
}

function Legend({ series }: { readonly series: ChartSeries }) {
  const { facts, strip, gaps, rejectedAt, fromMs, nowMs, hasUsual, hasDesk } = series
  const { asBand } = facts
  const hasStrip = strip !== undefined
  const hasSession = sessionMoments(fromMs, nowMs).length > 0
  return (
    <div className={css('legend')}>
      <Entry line="header-line" words="from headers" />
      <Entry line="modelled-line" words="estimate" />
      {asBand ? <span>lowest to highest</span> : <Entry line="range-area" words="possible range" />}
      {facts.aheadMs > 0 && <Entry line="forecast-line" words="forecast" />}
      {gaps.some(({ isBefore }) => !isBefore) && (
        <Entry line="unchecked-area" words={STATE_LABELS['not-checked']} />
      )}
      {hasUsual && <Entry line="usual-line" words="usual" />}
      {hasStrip && <Entry line="own-area" words="own use" />}
      {hasStrip && hasDesk && <Entry line="desk-area" words="desk" />}
      {hasStrip && <Entry line="others-area" words="others" />}
      <span>
        <Shape severity="critical" label={STATE_LABELS.blocked} /> 429
        {rejectedAt.length > 1 && ` (${rejectedAt.length})`}
      </span>
      {hasSession && <Entry line="session-line" words={REGULAR_SESSION_TEXT} />}
      <span className={css('since')} data-testid="recording-since">
        {recordingText(series)}
        <span className={css('keys')}>
          {' · '}
          <kbd>←</kbd> <kbd>→</kbd> cursor · <kbd>m</kbd> maximise
        </span>
      </span>
    </div>
  )
}

const Entry = ({ line, words }: { readonly line: string; readonly words: string }) => (
  <span>
    <b className={css(line)} />
    {` ${words}`}
  </span>
)

function recordingText({ sinceMs, nowMs }: ChartSeries): string {
  return sinceMs === undefined
    ? 'Nothing recorded yet'
    : `Recording since ${dayAndMinuteText(sinceMs, nowMs)}`
}

/** The chart's series. Recomputed when time has moved by a pixel, but at most every two seconds. */
function useSeries(category: string, history: History, range: ChartRange): ChartSeries | undefined {
  const { ticker } = useParts()
  const stepMs = Math.max(MIN_STEP_MS, RANGES[range].pastMs / MAX_PIXELS)
  const step = useShown((_, nowMs) => Math.floor(nowMs / stepMs))
  const quota = useSnapshot((snapshot) => snapshot.requests.find((one) => one.category === category))
  const isDrawable = quota !== undefined
  // The dependency list omits `quota`, because a new quota alone must not recompute the series. The next
  // recomputation uses the new quota.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(
    () =>
      quota
        ? chartSeries(
            history,
            quota,
            Math.max(newest(history), (step ?? Math.floor(ticker.nowMs() / stepMs)) * stepMs),
            range,
          )
        : undefined,
    [history, category, range, step, isDrawable],
  )
}

/**
 * The time of the newest point. The series extends at least to this time, so that a point is shown even if it
 * arrives between two steps.
 */
const newest = ({ points }: History) => points.at(-1)?.at ?? 0

function summary(category: string, { rows, limit, rejectedAt, facts }: ChartSeries): string {
  const counts = rows.flatMap((row) => row.headerBand ?? row.modelledBand ?? row.header ?? row.modelled ?? [])
  if (counts.length === 0) return `${category}: no history yet`
  const least = Math.floor(Math.min(...counts))
  const most = Math.floor(Math.max(...counts))
  const rejections = countText(rejectedAt.length, 'rate-limited request', 'rate-limited requests')
  return `${category}, ${facts.words}: between ${least} and ${most} of ${limit} requests left, ${rejections}`
}

const MAX_POINTS = 300

/**
 * The history of one category. Fetched at the range's interval while the window is visible and not paused.
 */
function useHistory(profile: string | undefined, category: string | undefined, range: ChartRange) {
  const { api, ticker } = useParts()
  const isPaused = usePausedSince() !== undefined
  const { pastMs, askAgainMs } = RANGES[range]
  const ask = useCallback(async () => {
    if (profile === undefined || category === undefined) return undefined
    const toMs = Math.round(ticker.nowMs())
    return api.history({ profile, category, fromMs: Math.max(0, toMs - pastMs), toMs, points: MAX_POINTS })
  }, [api, ticker, profile, category, pastMs])
  return useRepeated({
    ask,
    isOn: profile !== undefined && category !== undefined,
    // A paused window fetches once for each row and range that a person chooses.
    everyMs: isPaused ? undefined : askAgainMs,
  })
}
