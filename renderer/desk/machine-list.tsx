import { announcerText, deskMachines, engineStatus, type Machine } from '../../app/status/desk-status.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { useShownValue, useSnapshot } from '../state/window-parts.ts'
import sheet from './desk.module.css'

const css = classesOf(sheet)

/** The machines of the desk with their programs and rates, then its server. Empty without a desk. */
export function MachineList() {
  const machines = useShownValue(deskMachines) ?? []
  return (
    <>
      <ul className={css('machines')} aria-label="Machines of the desk">
        {machines.map((machine) => (
          <MachineRow key={machine.id} machine={machine} />
        ))}
      </ul>
      <EngineLines />
    </>
  )
}

function MachineRow({ machine }: { readonly machine: Machine }) {
  const { name, isSelf, role, severity, note, rate, share } = machine
  return (
    <li className={css('machine')} data-machine={name} data-severity={severity}>
      <Shape severity={severity} />
      <div>
        <b>{name}</b> {isSelf && <span className={css('tag')}>this machine</span>}
        {role !== undefined && <span className={css('tag', role)}>{role}</span>}
        <p>{note}</p>
      </div>
      <span className={css('share')} aria-hidden="true">
        <i className={css(!isSelf && 'by-desk')} style={{ width: `${100 * share}%` }} />
      </span>
      <b className={css('number', 'rate')} title="Mean of the last minute.">
        {rate}
      </b>
    </li>
  )
}

function EngineLines() {
  const desk = useSnapshot((snapshot) => snapshot.desk)
  const engine = useShownValue((snapshot) => snapshot.desk && engineStatus(snapshot.desk, snapshot.at))
  if (desk === undefined || engine === undefined) return null
  const announcer = announcerText(desk)
  return (
    <ul className={css('foot')} aria-label="Server of the desk">
      <li data-severity={engine.severity}>
        <span>
          <Shape severity={engine.severity} label={engine.label} /> NATS{' '}
          <b className="word" data-testid="desk-engine">
            {engine.label}
          </b>
        </span>
        {engine.facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        <span title="Messages that were forged, repeated, damaged or from another desk.">
          {desk.dropped} dropped
        </span>
      </li>
      <li>
        <code>{desk.engine.server}</code>
      </li>
      {announcer !== '' && <li>{announcer}</li>}
    </ul>
  )
}
