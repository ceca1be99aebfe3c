import { useCallback, useEffect, useRef, useState } from 'react'
import { keyStatus } from '../../app/conditions/key-status.ts'
import type { GatewayOverview } from '../../app/contract/gateway.ts'
import { mayHaveOrders, NO_ORDERS } from '../../app/contract/orders.ts'
import { DEFAULT_GATEWAY_PORT } from '../../app/contract/programs.ts'
import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import { otherMachinesPrograms } from '../../app/status/desk-programs.ts'
import { ordersStatus, STOPPING_LEAVES } from '../../app/status/orders-status.ts'
import { capitalised } from '../../app/status/sentences.ts'
import type { WindowApi } from '../api/window-api.ts'
import { classesOf } from '../components/classes.ts'
import { Refusal } from '../components/form.tsx'
import headlineSheet from '../components/headline.module.css'
import { Shape } from '../components/shape.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useAsked } from '../hooks/use-asked.ts'
import { useWayBack } from '../hooks/use-way-back.ts'
import ordersSheet from '../orders/orders.module.css'
import { OrdersButton } from '../orders/orders-switch.tsx'
import shellSheet from '../shell/shell.module.css'
import { MAIN } from '../shell/skip-links.tsx'
import { useMirror, useParts, usePausedSince, useShown, useSnapshot } from '../state/window-parts.ts'
import { FindingChips } from '../verdict/finding-chips.tsx'
import { Detail, HeadlineRemedy, HeadlineRow, Spoken } from '../verdict/verdict-panel.tsx'
import { AddProgram } from './add-program.tsx'
import { DeskPanel } from './desk-panel.tsx'
import { GatewayStrip } from './gateway-strip.tsx'
import { OrdersPanel } from './orders-panel.tsx'
import { ProgramTable } from './program-table.tsx'
import sheet from './programs.module.css'
import { UseChart } from './use-chart.tsx'
import { WaitingList } from './waiting-list.tsx'

const css = classesOf({ ...shellSheet, ...headlineSheet, ...ordersSheet, ...sheet })

const NONE: GatewayOverview = { gateway: { state: 'off' }, programs: [], nextPort: DEFAULT_GATEWAY_PORT }

const overviewOf = (main: WindowApi) => main.gateway()

export function ProgramsPage() {
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  // React's `key` remounts the page for another profile. Otherwise a new program's secret would stay on it.
  return profile === undefined ? null : <ProgramsOf key={profile} profile={profile} />
}

function ProgramsOf({ profile }: { readonly profile: string }) {
  const { api } = useParts()
  const asked = useAsked<unknown>()
  const { run } = asked
  const { answer: overview = NONE, again } = useAnswer(overviewOf)
  const serving = useSnapshot((snapshot) => snapshot.gateway)
  const live = useSnapshot((snapshot) => snapshot.programs)
  const hasDesk = useSnapshot(({ desk }) => desk !== undefined) ?? false
  const hasOthers = useSnapshot(({ desk }) => otherMachinesPrograms(desk).length > 0) ?? false
  const isLost = useMirror(({ link }) => link.kind === 'lost')
  const isPaused = usePausedSince() !== undefined
  const [isAdding, setAdding] = useState(false)
  const main = useRef<HTMLElement>(null)
  useWayBack()
  useEffect(() => main.current?.focus({ preventScroll: true }), [])

  const gateway = serving ?? overview.gateway
  const programs: readonly ProgramSummary[] =
    live ?? overview.programs.filter((program) => program.profile === profile)
  const cutting = useRef<(name: string) => void>(undefined)
  cutting.current = (name) => {
    void run(() => api.cutProgram({ name })).then(again)
    main.current?.focus({ preventScroll: true })
  }
  const cut = useCallback((name: string) => cutting.current?.(name), [])
  return (
    <main
      ref={main}
      id={MAIN}
      tabIndex={-1}
      className={css('page', 'sheet', isLost && 'dimmed', isPaused && 'frozen')}
      data-testid="programs"
    >
      <ProgramKeyLine />
      <GatewayStrip
        gateway={gateway}
        nextPort={overview.nextPort}
        programs={programs}
        asked={asked}
        isAdding={isAdding}
        changed={again}
        add={() => setAdding(true)}
      />
      <Refusal words={asked.refusal} />
      <OrdersStrip />
      <div className={css('columns', hasDesk && 'with-desk', isAdding && 'with-panel')}>
        <div className="column">
          {programs.length === 0 && <Empty gateway={gateway} isElsewhere={hasOthers} />}
          {(programs.length > 0 || hasOthers) && (
            <>
              <ProgramTable profile={profile} programs={programs} waiting={asked.waiting} cut={cut} />
              <div className={css('below')}>
                <UseChart profile={profile} programs={programs} />
                <WaitingList programs={programs} />
              </div>
            </>
          )}
          <OrdersPanel profile={profile} />
        </div>
        {isAdding && (
          <AddProgram
            profile={profile}
            url={gateway.url}
            programs={programs}
            added={again}
            close={() => setAdding(false)}
          />
        )}
        <DeskPanel />
      </div>
    </main>
  )
}

interface EmptyProps {
  readonly gateway: GatewaySummary
  /** Whether programs on other machines of the desk use the key. */
  readonly isElsewhere: boolean
}

function Empty({ gateway, isElsewhere }: EmptyProps) {
  const isOn = gateway.state === 'serving'
  const mayOrder = useSnapshot(mayHaveOrders) ?? false
  return (
    <section className={css('panel', 'empty')} aria-labelledby="empty-heading">
      <h2 id="empty-heading">No program{isElsewhere && ' on this machine'} uses this key yet.</h2>
      <p>
        Programs on this computer share it, each with its own program key. Headroom sends each request when it
        fits the quota. {mayOrder ? 'Orders must be allowed separately.' : 'Read-only, no orders.'}
      </p>
      <ol>
        {!isOn && (
          <li>
            <b>Turn on</b> the gateway above. Only this computer can reach it.
          </li>
        )}
        <li>
          <b>Add a program</b>, and give it its key, which is shown once.
        </li>
      </ol>
    </section>
  )
}

/** The key's health in one line: its worst condition, and the number of further conditions. */
function ProgramKeyLine() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unknown'
  const label = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).label)
  return (
    <section className={css('headline', 'key-line')} aria-label="Verdict" data-severity={severity}>
      <Shape severity={severity} label={label} />
      <h1>
        <HeadlineRow />
      </h1>
      <p>
        <Detail />
      </p>
      <HeadlineRemedy />
      <FindingChips />
      <Spoken />
    </section>
  )
}

/**
 * Whether orders of the displayed key are allowed, and a button that stops them. Empty while orders are off.
 */
function OrdersStrip() {
  const orders = useSnapshot((snapshot) => snapshot.orders) ?? NO_ORDERS
  if (orders.state === 'off') return null
  const { text, severity } = ordersStatus(orders)
  return (
    <section className={css('strip', 'box')} aria-label="Orders">
      <div className={css('serving')} data-severity={severity}>
        <Shape severity={severity} />
        <b data-testid="orders-state">{capitalised(text)}.</b>
      </div>
      <p className={css('leaves')}>{STOPPING_LEAVES}</p>
      <div className={css('turn')}>
        <OrdersButton state={orders.state} />
      </div>
    </section>
  )
}
