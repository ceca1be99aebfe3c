import type { ReactNode } from 'react'
import { mayHaveOrders } from '../../app/contract/orders.ts'
import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import { gatewayStatus } from '../../app/status/gateway-status.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { Shape } from '../components/shape.tsx'
import type { Asked } from '../hooks/use-asked.ts'
import { useCopy } from '../hooks/use-copy.ts'
import { useParts, useShown, useSnapshot } from '../state/window-parts.ts'
import { reserveText, totalsOf, wholeText } from './program-rows.ts'
import sheet from './programs.module.css'

const css = classesOf(sheet)

interface GatewayStripProps {
  readonly gateway: GatewaySummary
  readonly nextPort: number
  readonly programs: readonly ProgramSummary[]
  readonly asked: Asked<unknown>
  readonly isAdding: boolean
  changed(): void
  add(): void
}

export function GatewayStrip(props: GatewayStripProps) {
  const { gateway, nextPort, programs, asked, isAdding, changed, add } = props
  const { api } = useParts()
  const isOn = gateway.state === 'serving'
  const turn = async (form: FormData) => {
    const port = Number(form.get('port'))
    await asked.run(() => api.setGateway(isOn ? { on: false } : { on: true, port }))
    changed()
  }
  return (
    <section className={css('strip', 'box')} aria-label="Gateway">
      <State gateway={gateway} />
      {isOn && <Totals gateway={gateway} programs={programs} />}
      <form
        className={css('turn')}
        onSubmit={(event) => {
          event.preventDefault()
          void turn(new FormData(event.currentTarget))
        }}
      >
        {!isOn && (
          <label>
            Port{' '}
            <input
              key={nextPort}
              name="port"
              type="number"
              min={0}
              max={65_535}
              defaultValue={nextPort}
              required
            />
          </label>
        )}
        <Button type="submit" look={css(isOn ? 'ghost' : 'primary')} disabled={asked.waiting}>
          {isOn ? 'Turn off' : 'Turn on'}
        </Button>
        <Button look={css(isOn && 'primary')} aria-expanded={isAdding} onClick={add}>
          + Add a program
        </Button>
      </form>
    </section>
  )
}

function State({ gateway }: { readonly gateway: GatewaySummary }) {
  const copy = useCopy()
  const mayOrder = useSnapshot(mayHaveOrders) ?? false
  const { url, since } = gateway
  const { text, severity } = gatewayStatus(gateway)
  const sinceText = useShown((_, nowMs) => (since === undefined ? '' : dayAndMinuteText(since, nowMs)))
  if (gateway.state !== 'serving' || url === undefined)
    return (
      <div className={css('serving')} data-severity={severity}>
        <Shape severity={severity} />
        <b data-testid="gateway-state">{text}.</b>
      </div>
    )
  return (
    <>
      <div className={css('serving')} data-severity={severity} data-testid="gateway-state">
        <Shape severity={severity} />
        <Fact
          value={
            <>
              Gateway <span className="word">serving</span>
            </>
          }
          name={sinceText ? `since ${sinceText}` : 'programs of this key'}
        />
        <Fact
          value={<code>{url}</code>}
          name={mayOrder ? 'this computer only' : 'this computer only, read-only'}
        />
      </div>
      <Button
        look={css('small')}
        aria-label="Copy the address"
        onClick={() => copy(url, 'Address copied.', 'Select the address and copy it.')}
      >
        <Icon name="copy" /> Copy
      </Button>
    </>
  )
}

function Totals({ gateway, programs }: Pick<GatewayStripProps, 'gateway' | 'programs'>) {
  const { perSecond, waiting, longest, refused, forwarded, rejected, saved } = totalsOf(programs)
  return (
    <>
      <Fact value={`${perSecond}/s`} name="forwarded" title="Mean of the last minute." />
      <Fact value={`${wholeText(waiting)} waiting`} name={waiting > 0 ? `longest ${longest}` : 'now'} />
      <Fact
        value={`${wholeText(refused)} declined`}
        name="by the gateway"
        title="Requests that timed out in the queue or couldn’t be sent."
      />
      {rejected !== undefined && (
        <Fact
          value={`${wholeText(rejected)} of ${wholeText(forwarded + rejected)}`}
          name="got 429"
          title="Requests that got 429 since the gateway was turned on."
        />
      )}
      <Fact value={`${wholeText(saved)} saved`} name="by sharing responses" />
      <Fact {...reserveText(gateway)} />
    </>
  )
}

interface FactProps {
  readonly value: ReactNode
  readonly name: string
  readonly title?: string
}

function Fact({ value, name, title }: FactProps) {
  return (
    <div className={css('fact')} title={title}>
      <b>{value}</b>
      <span className={css('fact-name')}>{name}</span>
    </div>
  )
}
