import { useId, useState } from 'react'
import type { CurrentKeySettings } from '../../app/contract/settings.ts'
import { Refusal, Tick } from '../components/form.tsx'
import { useShown } from '../state/window-parts.ts'
import { intervalOf } from './changed-settings.ts'
import { DraftField, ElsewhereLine } from './draft-field.tsx'
import {
  budgetFrom,
  budgetText,
  probeUseText,
  rotationFrom,
  secondsFrom,
  storedText,
  symbolFrom,
} from './settings-text.ts'
import { type HeldKeySettings, useKeySettings } from './use-key-settings.ts'

export function ProbeSettingsForm({ profile }: { readonly profile: string }) {
  const { current, refusal, elsewhere, change } = useKeySettings(profile)
  const isRotating = useShown(({ refresh }) => refresh.rotating) ?? false

  return (
    <>
      <h3>Checks</h3>
      <p className="hint">
        Requests that Headroom sends when a row has no recent data.{' '}
        {current !== undefined && storedText(current)}
      </p>
      <Refusal words={refusal} />
      {current !== undefined && (
        <>
          <div className="rows">
            <Switch
              label="Check this key"
              isOn={current.settings.probesEnabled}
              isElsewhere={elsewhere.has('probesEnabled')}
              onChange={(probesEnabled) => change(() => ({ probesEnabled }))}
            />
            <DraftField
              label="Headroom’s share (per cent of each quota)"
              inputMode="decimal"
              current={budgetText(current.settings.budgetFraction)}
              hint={<ProbeUse current={current} />}
              isElsewhere={elsewhere.has('budgetFraction')}
              read={budgetFrom}
              onChoose={(budgetFraction) => change(() => ({ budgetFraction }))}
            />
            <DraftField
              label="Symbol for checks"
              inputMode="text"
              current={current.settings.symbol}
              isElsewhere={elsewhere.has('symbol')}
              read={symbolFrom}
              onChoose={(symbol) => change(() => ({ symbol }))}
            />
            <Switch
              label="After a 429, keep checking"
              hint="Checks continue at half the usual rate; other requests still wait. If off, checks also wait until the reset."
              isOn={current.settings.trialAfterStep}
              isElsewhere={elsewhere.has('trialAfterStep')}
              onChange={(trialAfterStep) => change(() => ({ trialAfterStep }))}
            />
            {isRotating && (
              <DraftField
                label="Refresh token rotates within (minutes)"
                inputMode="decimal"
                current={String(current.settings.rotationMinutes)}
                hint="Your key’s refresh tokens expire if unused for this long."
                isElsewhere={elsewhere.has('rotationMinutes')}
                read={rotationFrom}
                onChoose={(rotationMinutes) => change(() => ({ rotationMinutes }))}
              />
            )}
          </div>
          <ProbeIntervals current={current} elsewhere={elsewhere} change={change} />
        </>
      )}
    </>
  )
}

function ProbeUse({ current }: { readonly current: CurrentKeySettings }) {
  return <span data-testid="probe-use">{useShown((snapshot) => probeUseText(snapshot, current))}</span>
}

interface SwitchProps {
  readonly label: string
  readonly hint?: string
  readonly isOn: boolean
  /** Whether another window set the present value. */
  readonly isElsewhere: boolean
  readonly onChange: (isOn: boolean) => Promise<void>
}

function Switch({ label, hint, isOn, isElsewhere, onChange }: SwitchProps) {
  const id = useId()
  /** The requested value, until main has set or rejected it. */
  const [wanted, setWanted] = useState<boolean>()
  const choose = async (next: boolean) => {
    setWanted(next)
    await onChange(next)
    setWanted(undefined)
  }
  const beneath = [hint !== undefined && `${id}-about`, isElsewhere && `${id}-elsewhere`].filter(Boolean)
  return (
    <>
      <Tick
        id={id}
        label={label}
        checked={wanted ?? isOn}
        aria-describedby={beneath.join(' ') || undefined}
        onTick={(isTicked) => void choose(isTicked)}
      />
      {hint !== undefined && (
        <p id={`${id}-about`} className="beneath hint">
          {hint}
        </p>
      )}
      {isElsewhere && <ElsewhereLine id={`${id}-elsewhere`} />}
    </>
  )
}

interface ProbeIntervalsProps {
  readonly current: CurrentKeySettings
  readonly elsewhere: HeldKeySettings['elsewhere']
  readonly change: HeldKeySettings['change']
}

function ProbeIntervals({ current, elsewhere, change }: ProbeIntervalsProps) {
  const { everySeconds } = current.settings
  const choose = (category: string, seconds: number | undefined) =>
    change((now) => {
      const { [category]: _, ...others } = now.everySeconds
      return { everySeconds: seconds === undefined ? others : { ...others, [category]: seconds } }
    })
  return (
    <details className="more">
      <summary>Rows with their own interval: {Object.keys(everySeconds).length || 'none'}</summary>
      <p className="hint">Seconds between checks, regardless of the budget. 0: never; empty: by budget.</p>
      {/* The label distinguishes these rows from other settings with the same names. */}
      <fieldset className="rows two" aria-label="Seconds between checks">
        {current.probed.map((category) => (
          <DraftField
            key={category}
            label={category}
            inputMode="decimal"
            current={String(everySeconds[category] ?? '')}
            isElsewhere={elsewhere.has(intervalOf(category))}
            read={secondsFrom}
            onChoose={(seconds) => choose(category, seconds)}
          />
        ))}
      </fieldset>
    </details>
  )
}
