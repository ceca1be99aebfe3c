import type { GatewayOverview } from '../../app/contract/gateway.ts'
import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import { DEFAULT_GATEWAY_PORT } from '../../app/gateway/program-limits.ts'
import { gatewayStatus } from '../../app/status/gateway-status.ts'
import type { WindowApi } from '../api/window-api.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import dialogSheet from '../components/dialog.module.css'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Shape } from '../components/shape.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { type Asked, useAsked } from '../hooks/use-asked.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import { AddProgram } from './add-program.tsx'
import { ProgramTable } from './program-table.tsx'
import { WaitingList } from './waiting-list.tsx'

const css = classesOf({ ...controlsSheet, ...dialogSheet })

const NONE: GatewayOverview = { gateway: { state: 'off' }, programs: [] }
const ABOUT =
  'Programs on this computer use the key through Headroom, each with a key of its own. Requests that read only; no order passes.'

const overviewOf = (main: WindowApi) => main.gateway()

/** The gateway: on or off, the programs behind it, and adding one. */
export function ProgramsDialog() {
  const { api } = useParts()
  const asked = useAsked<unknown>()
  const { answer: overview = NONE, again } = useAnswer(overviewOf)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const serving = useSnapshot((snapshot) => snapshot.gateway)
  const live = useSnapshot((snapshot) => snapshot.programs)
  if (profile === undefined) return null

  const gateway = serving ?? overview.gateway
  const programs: readonly ProgramSummary[] =
    live ?? overview.programs.filter((program) => program.profile === profile)
  const cut = async (name: string) => {
    await asked.run(() => api.cutProgram({ name }))
    again()
  }
  return (
    <DialogFrame title="Programs" about={ABOUT} width="widest">
      <Switch gateway={gateway} asked={asked} changed={again} />
      <ProgramTable programs={programs} waiting={asked.waiting} cut={(name) => void cut(name)} />
      <WaitingList programs={programs} />
      <Refusal words={asked.refusal} />
      <AddProgram profile={profile} url={gateway.url} added={again} />
    </DialogFrame>
  )
}

interface SwitchProps {
  readonly gateway: GatewaySummary
  readonly asked: Asked<unknown>
  readonly changed: () => void
}

function Switch({ gateway, asked, changed }: SwitchProps) {
  const { api } = useParts()
  const { text, severity } = gatewayStatus(gateway)
  const isOn = gateway.state === 'serving'
  const turn = async (form: FormData) => {
    const port = Number(form.get('port'))
    await asked.run(() => api.setGateway(isOn ? { on: false } : { on: true, port }))
    changed()
  }
  return (
    <form
      className={css('switch')}
      onSubmit={(event) => {
        event.preventDefault()
        void turn(new FormData(event.currentTarget))
      }}
    >
      <Shape severity={severity} />
      <span data-testid="gateway-state">{text}.</span>
      {!isOn && (
        <label>
          Port{' '}
          <input
            name="port"
            type="number"
            min={0}
            max={65_535}
            defaultValue={DEFAULT_GATEWAY_PORT}
            required
          />
        </label>
      )}
      <button type="submit" className={css('button', !isOn && 'primary')} disabled={asked.waiting}>
        {isOn ? 'Turn off' : 'Turn on'}
      </button>
    </form>
  )
}
