import { Fragment } from 'react'
import { TIME_ZONES, type TimeZone } from '../../app/contract/units.ts'
import { Select } from '../components/controls.tsx'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Tick } from '../components/form.tsx'
import { useAsked } from '../hooks/use-asked.ts'
import { OrdersSettings } from '../orders/orders-switch.tsx'
import { DENSITIES, type Look } from '../state/look.ts'
import { useLook, useParts, useSnapshot } from '../state/window-parts.ts'
import { THEME_LABELS, THEMES } from '../theme/theme.ts'
import { AlertSettings } from './alert-settings.tsx'
import { BrowserWindowList } from './browser-windows.tsx'
import { DeskSettings } from './desk-settings.tsx'
import { KeptSettings } from './kept-settings.tsx'
import { ProbeSettingsForm } from './probe-settings.tsx'
import { ThresholdSettings } from './threshold-settings.tsx'
import { UpdateSettings } from './update-settings.tsx'

const FULL_AS_WORDS: Readonly<Record<Look['fullAs'], string>> = {
  clock: 'a time of day',
  countdown: 'a countdown',
}

const ZONE_WORDS: Readonly<Record<TimeZone, string>> = {
  local: 'this computer’s',
  exchange: 'exchange (New York)',
  utc: 'UTC',
}

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
  const chooseZone = (wanted: TimeZone) => {
    look.setState({ zone: wanted })
    void asked.run(() => api.setTimeZone({ zone: wanted }))
  }
  return (
    <div className="rows">
      <label htmlFor="theme">Theme</label>
      <Select
        id="theme"
        value={theme}
        choices={THEMES}
        words={(one) => THEME_LABELS[one]}
        onChoose={(wanted) => look.setState({ theme: wanted })}
      />
      <label htmlFor="density">Rows</label>
      <Select
        id="density"
        value={density}
        choices={DENSITIES}
        onChoose={(wanted) => look.setState({ density: wanted })}
      />
      <label htmlFor="full-as">“Full at” is</label>
      <Select
        id="full-as"
        value={fullAs}
        choices={['clock', 'countdown'] as const}
        words={(one) => FULL_AS_WORDS[one]}
        onChoose={(wanted) => look.setState({ fullAs: wanted })}
      />
      <label htmlFor="zone">Times of day</label>
      <Select
        id="zone"
        value={zone}
        choices={TIME_ZONES}
        words={(one) => ZONE_WORDS[one]}
        onChoose={chooseZone}
      />
      {asked.refusal !== undefined && <p role="alert">{asked.refusal}</p>}
      <Tick
        id="shortcuts"
        label="Single-key shortcuts"
        checked={shortcuts}
        onTick={(isTicked) => look.setState({ shortcuts: isTicked })}
      />
    </div>
  )
}
