import { Fragment } from 'react'
import { TIME_ZONES, type TimeZone } from '../../app/contract/units.ts'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import { OrdersSettings } from '../orders/orders-switch.tsx'
import { DENSITIES, type Density } from '../state/look.ts'
import { useLook, useParts, useSnapshot } from '../state/window-parts.ts'
import { THEME_LABELS, THEMES } from '../theme/theme.ts'
import { AlertSettings } from './alert-settings.tsx'
import { BrowserWindowList } from './browser-windows.tsx'
import { DeskSettings } from './desk-settings.tsx'
import { KeptSettings } from './kept-settings.tsx'
import { ProbeSettingsForm } from './probe-settings.tsx'
import { ThresholdSettings } from './threshold-settings.tsx'
import { UpdateSettings } from './update-settings.tsx'

const DENSITY_WORDS: Readonly<Record<Density, string>> = {
  auto: 'auto',
  roomy: 'roomy',
  dense: 'dense',
}

const ZONE_WORDS: Readonly<Record<TimeZone, string>> = {
  local: 'this computer’s',
  exchange: 'exchange (New York)',
  utc: 'UTC',
}

/** The settings. Each change applies immediately, so there is no save button. */
export function SettingsDialog() {
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  return (
    <DialogFrame title="Settings" about="Changes apply immediately." width="medium">
      <LookSettings />
      {profile !== undefined && (
        <Fragment key={profile}>
          <ProbeSettingsForm profile={profile} />
          <ThresholdSettings profile={profile} />
          <OrdersSettings />
          <DeskSettings />
        </Fragment>
      )}
      <AlertSettings />
      <KeptSettings />
      <BrowserWindowList />
      <UpdateSettings />
    </DialogFrame>
  )
}

function LookSettings() {
  const { api, look } = useParts()
  const asked = useAsked()
  const { theme, density, fullAs, zone, shortcuts } = useLook((one) => one)
  return (
    <div className="rows">
      <label htmlFor="theme">Theme</label>
      <select
        id="theme"
        value={theme}
        onChange={({ target }) =>
          look.setState({ theme: THEMES.find((one) => one === target.value) ?? 'system' })
        }
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {THEME_LABELS[one]}
          </option>
        ))}
      </select>
      <label htmlFor="density">Rows</label>
      <select
        id="density"
        value={density}
        onChange={({ target }) =>
          look.setState({ density: DENSITIES.find((one) => one === target.value) ?? 'auto' })
        }
      >
        {DENSITIES.map((one) => (
          <option key={one} value={one}>
            {DENSITY_WORDS[one]}
          </option>
        ))}
      </select>
      <label htmlFor="full-as">“Full at” is</label>
      <select
        id="full-as"
        value={fullAs}
        onChange={({ target }) =>
          look.setState({ fullAs: target.value === 'countdown' ? 'countdown' : 'clock' })
        }
      >
        <option value="clock">a time of day</option>
        <option value="countdown">a countdown</option>
      </select>
      <label htmlFor="zone">Times of day</label>
      <select
        id="zone"
        value={zone}
        onChange={({ target }) => {
          const wanted = TIME_ZONES.find((one) => one === target.value) ?? 'local'
          look.setState({ zone: wanted })
          void asked.run(() => api.setTimeZone({ zone: wanted }))
        }}
      >
        {TIME_ZONES.map((one) => (
          <option key={one} value={one}>
            {ZONE_WORDS[one]}
          </option>
        ))}
      </select>
      {asked.refusal !== undefined && <p role="alert">{asked.refusal}</p>}
      <label htmlFor="shortcuts">Single-key shortcuts</label>
      <input
        id="shortcuts"
        type="checkbox"
        checked={shortcuts}
        onChange={({ target }) => look.setState({ shortcuts: target.checked })}
      />
    </div>
  )
}
