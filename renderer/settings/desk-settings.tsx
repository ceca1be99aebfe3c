import { machinesText } from '../../app/status/desk-status.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import deskSheet from '../desk/desk.module.css'
import { MachineList } from '../desk/machine-list.tsx'
import type { Dialog } from '../state/view-state.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'

const css = classesOf(deskSheet)

export function DeskSettings() {
  const machines = useSnapshot(({ desk }) => desk && machinesText(desk))
  const isRefused = useSnapshot(({ desk }) => desk?.state === 'refused') ?? false
  return (
    <>
      <h3>Desk</h3>
      {machines === undefined ? (
        <>
          <p className="hint">Machines with this key can share quota data and one queue.</p>
          <div className={css('buttons')}>
            <Opens dialog="create-desk" label="Create a desk…" />
            <Opens dialog="join-desk" label="Join a desk…" />
          </div>
        </>
      ) : (
        <>
          <p className="hint" data-testid="desk-setting">
            {machines} on this key’s desk.
          </p>
          <MachineList />
          <div className={css('buttons')}>
            {!isRefused && <Opens dialog="invite-to-desk" label="Invite…" />}
            <Opens dialog="leave-desk" label="Leave…" />
            {!isRefused && <Opens dialog="replace-desk-secret" label="Replace the secret…" />}
          </div>
        </>
      )}
    </>
  )
}

function Opens({ dialog, label }: { readonly dialog: Dialog; readonly label: string }) {
  const { view } = useParts()
  return <Button onClick={() => view.setState({ dialog })}>{label}</Button>
}
