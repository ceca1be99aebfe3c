import { useState } from 'react'
import { ALERT_SEVERITIES, type AlertSeverity } from '../../app/contract/alerts.ts'
import { Button } from '../components/controls.tsx'
import { Tick } from '../components/form.tsx'
import { useAlertPreferences } from '../hooks/use-answer.ts'
import { useLook, useParts } from '../state/window-parts.ts'

const SOUND_LABELS: Readonly<Record<AlertSeverity, string>> = {
  critical: 'Sound for critical alerts',
  warning: 'Sound for warnings',
  ok: 'Sound when a problem clears',
}
const DEFAULT_QUIET_HOURS = { from: '20:00', to: '07:00' } as const

export function AlertSettings() {
  return (
    <>
      <h3>Sounds and quiet hours</h3>
      <div className="rows">
        {ALERT_SEVERITIES.map((severity) => (
          <SoundSetting key={severity} severity={severity} />
        ))}
        <NotificationSetting />
      </div>
      <QuietHours />
    </>
  )
}

function SoundSetting({ severity }: { readonly severity: AlertSeverity }) {
  const { look, playSound } = useParts()
  const on = useLook((one) => one.sounds)
  const id = `sound-${severity}`
  return (
    <>
      <label htmlFor={id}>{SOUND_LABELS[severity]}</label>
      <span>
        <input
          id={id}
          type="checkbox"
          checked={on.includes(severity)}
          onChange={({ target }) =>
            look.setState({
              sounds: ALERT_SEVERITIES.filter((one) =>
                one === severity ? target.checked : on.includes(one),
              ),
            })
          }
        />{' '}
        <Button
          look="ghost"
          aria-label={`Test: ${SOUND_LABELS[severity]}`}
          onClick={() => void playSound(severity)}
        >
          Test
        </Button>
      </span>
    </>
  )
}

/** The setting for notifications in a browser. The desktop app shows the system's notifications itself. */
function NotificationSetting() {
  const { look } = useParts()
  const on = useLook((one) => one.notifications)
  const [refused, setRefused] = useState(false)
  if (window.headroom !== undefined || !('Notification' in window)) return null
  const change = async (wanted: boolean) => {
    const permission = wanted ? await Notification.requestPermission() : 'default'
    setRefused(wanted && permission !== 'granted')
    look.setState({ notifications: wanted && permission === 'granted' })
  }
  return (
    <>
      <label htmlFor="notifications">Notifications in this browser</label>
      <span>
        <input
          id="notifications"
          type="checkbox"
          checked={on}
          onChange={({ target }) => void change(target.checked)}
        />
        {refused && <span role="alert"> The browser blocks notifications. Allow them in its settings.</span>}
      </span>
    </>
  )
}

function QuietHours() {
  const { preferences, failure, change: set } = useAlertPreferences()
  if (failure !== undefined) return <p role="alert">{failure}</p>
  if (preferences === undefined) return null
  const { quietHours } = preferences
  const time = (end: 'from' | 'to', label: string) =>
    quietHours && (
      <>
        <label htmlFor={`quiet-${end}`}>{label}</label>
        <input
          id={`quiet-${end}`}
          type="time"
          value={quietHours[end]}
          onChange={({ target }) =>
            target.value !== '' && set({ quietHours: { ...quietHours, [end]: target.value } })
          }
        />
      </>
    )
  return (
    <div className="rows">
      <Tick
        id="quiet"
        label="Quiet hours"
        checked={quietHours !== undefined}
        onTick={(isTicked) => set({ quietHours: isTicked ? DEFAULT_QUIET_HOURS : null })}
      />
      {time('from', 'Quiet from')}
      {time('to', 'Quiet until')}
      <Tick
        id="urgent"
        label="Critical alerts ignore snooze and quiet hours"
        checked={preferences.urgentBypass}
        onTick={(isTicked) => set({ urgentBypass: isTicked })}
      />
    </div>
  )
}
