import { sharedText } from '../../app/status/desk-status.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { ScrollBox } from '../components/table.tsx'
import deskSheet from '../desk/desk.module.css'
import { MachineList } from '../desk/machine-list.tsx'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './programs.module.css'

const css = classesOf({ ...deskSheet, ...sheet })

/** The machines that share the key, and the desk's server. Empty without a desk. */
export function DeskPanel() {
  const { view } = useParts()
  const machines = useSnapshot(({ desk }) => desk && sharedText(desk))
  const isRefused = useSnapshot(({ desk }) => desk?.state === 'refused') ?? false
  if (machines === undefined) return null
  return (
    <section className={css('panel', 'desk')} aria-labelledby="desk-heading">
      <div className="head">
        <h2 id="desk-heading">Desk</h2>
        <span data-testid="desk-machines">{machines}</span>
        <div className={css('buttons', 'head-buttons')}>
          {!isRefused && (
            <Button look={css('small')} onClick={() => view.setState({ dialog: 'invite-to-desk' })}>
              + Invite…
            </Button>
          )}
          <Button look={css('ghost', 'small')} onClick={() => view.setState({ dialog: 'leave-desk' })}>
            Leave…
          </Button>
        </div>
      </div>
      <ScrollBox label="Desk, machines">
        <MachineList />
      </ScrollBox>
    </section>
  )
}
