import { useCallback, useEffect, useRef, useState } from 'react'
import type { GatewayOverview } from '../../app/contract/gateway.ts'
import { mayHaveOrders } from '../../app/contract/orders.ts'
import { DEFAULT_GATEWAY_PORT } from '../../app/contract/programs.ts'
import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import { otherMachinesPrograms } from '../../app/status/desk-programs.ts'
import type { WindowApi } from '../api/window-api.ts'
import { classesOf } from '../components/classes.ts'
import { Refusal } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useAsked } from '../hooks/use-asked.ts'
import { useWayBack } from '../hooks/use-way-back.ts'
import shellSheet from '../shell/shell.module.css'
import { MAIN } from '../shell/skip-links.tsx'
import { useMirror, useParts, usePausedSince, useSnapshot } from '../state/window-parts.ts'
import { AddProgram } from './add-program.tsx'
import { DeskPanel } from './desk-panel.tsx'
import { GatewayStrip } from './gateway-strip.tsx'
import { ProgramKeyLine } from './key-line.tsx'
import { OrdersPanel } from './orders-panel.tsx'
import { OrdersStrip } from './orders-strip.tsx'
import { ProgramTable } from './program-table.tsx'
import sheet from './programs.module.css'
import { UseChart } from './use-chart.tsx'
import { WaitingList } from './waiting-list.tsx'

const css = classesOf({ ...shellSheet, ...sheet })

const NONE: GatewayOverview = { gateway: { state: 'off' }, programs: [], nextPort: DEFAULT_GATEWAY_PORT }

const overviewOf = (main: WindowApi) => main.gateway()

/** The programs behind the gateway: their use, their waiting requests, and a panel that adds a program. */
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
      className={css('page', isLost && 'dimmed', isPaused && 'frozen')}
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

/** The purpose of the gateway, and the remaining steps to use it. */
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
