import { startTransition, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { recordedPlan } from '../../app/plan/recorded-plan.ts'
import { runningPlan, withOthersHigh } from '../../app/plan/running.ts'
import { planVerdict } from '../../app/plan/verdict.ts'
import { classesOf } from '../components/classes.ts'
import { unanswered } from '../hooks/use-asked.ts'
import { useWayBack } from '../hooks/use-way-back.ts'
import { MAIN } from '../shell/skip-links.tsx'
import { type ChangeDraft, draftOf, fileOpened, type PlanDraft } from '../state/plan-draft.ts'
import { shownSnapshot, useParts, useSnapshot, useView } from '../state/window-parts.ts'
import { AdvicePanel } from './advice-panel.tsx'
import { DayPanel } from './day-panel.tsx'
import { DemandPanel } from './demand-panel.tsx'
import sheet from './plan.module.css'
import { PlanBanner } from './plan-banner.tsx'
import { ProgramsPanel } from './programs-panel.tsx'
import { recordedDay } from './use-day.ts'

const css = classesOf(sheet)

export function PlanPage() {
  const { api, view, mirror, live } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const kept = useView(({ plan }) => plan)
  const begin = () => {
    const snapshot = shownSnapshot(mirror.getState(), view.getState())
    if (snapshot === undefined) return
    view.setState({ plan: draftOf(snapshot.profile.id, runningPlan(snapshot), live.ticker.nowMs()) })
  }
  const beginRecorded = async () => {
    const snapshot = shownSnapshot(mirror.getState(), view.getState())
    if (snapshot === undefined) return
    const nowMs = live.ticker.nowMs()
    const base = runningPlan(snapshot)
    try {
      const day = await recordedDay(api, { profile: snapshot.profile.id, base, sinceMs: nowMs })
      if (day.recorded.length === 0) view.setState({ notice: 'Nothing was recorded in the last 24 hours.' })
      else
        view.setState({
          plan: draftOf(snapshot.profile.id, recordedPlan(base, day.recorded, day), nowMs),
        })
    } catch (error) {
      view.setState({ notice: unanswered(error) })
    }
  }
  const draft = kept !== undefined && kept.profile === profile ? kept : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: `begin` runs only if there is no draft
  useEffect(() => {
    if (draft === undefined) begin()
  }, [draft === undefined])
  const close = useWayBack()
  if (draft === undefined) return <main id={MAIN} tabIndex={-1} className={css('page', 'sheet')} />
  return (
    <Planned key={draft.profile} draft={draft} reset={begin} resetRecorded={beginRecorded} close={close} />
  )
}

interface PlannedProps {
  readonly draft: PlanDraft
  readonly reset: () => void
  readonly resetRecorded: () => Promise<void>
  readonly close: () => void
}

function Planned({ draft, reset, resetRecorded, close }: PlannedProps) {
  const { view } = useParts()
  const main = useRef<HTMLElement>(null)
  const change = useCallback<ChangeDraft>(
    (changed) => view.setState(({ plan }) => (plan === undefined ? {} : { plan: changed(plan) })),
    [view],
  )
  const { plan, base } = draft
  const judged = useMemo(() => ({ draft, verdict: planVerdict(draft.plan) }), [draft])
  const { verdict } = judged
  const atMost = useMemo(() => planVerdict(withOthersHigh(plan, base)), [plan, base])
  const before = useMemo(() => planVerdict(base.plan), [base])
  // The page is painted in this order: the verdict and the changed row, then the rest, then the day. The day
  // takes longest, so it waits for a pause between changes.
  const late = useDeferredValue(judged)
  const rested = useRested(judged)
  const openFile = usePlanFile(change)
  useEffect(() => main.current?.focus({ preventScroll: true }), [])
  return (
    <main
      ref={main}
      id={MAIN}
      tabIndex={-1}
      className={css('page', 'sheet')}
      data-testid="plan"
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      }}
      onDrop={(event) => {
        const [file] = event.dataTransfer.files
        if (file === undefined) return
        event.preventDefault()
        void openFile(file)
      }}
    >
      <PlanBanner draft={draft} verdict={verdict} atMost={atMost} before={before} close={close} />
      <div className={css('columns')}>
        <div className="column">
          <ProgramsPanel
            draft={draft}
            verdict={verdict}
            change={change}
            reset={reset}
            resetRecorded={resetRecorded}
            openFile={openFile}
          />
          <DayPanel {...rested} isResting={rested === judged} />
        </div>
        <div className="column">
          <DemandPanel {...late} />
          <AdvicePanel {...late} change={change} />
        </div>
      </div>
    </main>
  )
}

/**
 * A change counts as finished after a pause this long. A dragged slider changes much more often.
 * Milliseconds.
 */
const REST_MS = 250

/** The value after it has been stable for `REST_MS`. The first value is returned immediately. */
function useRested<T>(value: T): T {
  const { clock } = useParts()
  const [rested, setRested] = useState(value)
  useEffect(() => clock.after(REST_MS, () => startTransition(() => setRested(value))), [clock, value])
  return rested
}

const MAX_NAME = 60

/**
 * Returns a function that replaces the draft with a plan file. If the file is invalid, the draft stays, and a
 * notice names the invalid member.
 */
function usePlanFile(change: ChangeDraft): (file: File) => Promise<void> {
  const { view } = useParts()
  return async (file) => {
    const name = file.name.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_NAME)
    const say = (line: string) => view.setState({ notice: `${name}: ${line}` })
    try {
      // The code that checks a file is loaded on demand, because it is a sixth of the window's script.
      const { MAX_PLAN_FILE_BYTES, readPlan } = await import('../../app/plan/plan-file.ts')
      const read = readPlan(file.size > MAX_PLAN_FILE_BYTES ? undefined : await file.text())
      if (read.kind === 'wrong') return say(`${read.line}. The plan is unchanged.`)
      change((draft) => fileOpened(draft, read.plan))
      say('opened. Others’ use stays as observed now.')
    } catch (error) {
      // The file can't be read (it is missing or a folder), or the code that checks it can't be loaded.
      say(unanswered(error))
    }
  }
}
