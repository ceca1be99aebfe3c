import type { KeySettings } from '../../app/contract/settings.ts'

/** One field of the settings: a setting, or the check interval of one category. */
export type SettingName = Exclude<keyof KeySettings, 'everySeconds'> | `every ${string}`

export const intervalOf = (category: string): SettingName => `every ${category}`

/** The fields in which two settings differ, in the order of display. */
export function changedSettings(before: KeySettings, after: KeySettings): readonly SettingName[] {
  const { everySeconds: intervalsBefore, ...restBefore } = before
  const { everySeconds: intervalsAfter, ...restAfter } = after
  const names = Object.keys(restAfter) as (keyof typeof restAfter)[]
  const categories = new Set([...Object.keys(intervalsBefore), ...Object.keys(intervalsAfter)])
  return [
    ...names.filter((name) => restBefore[name] !== restAfter[name]),
    ...[...categories]
      .filter((category) => intervalsBefore[category] !== intervalsAfter[category])
      .map(intervalOf),
  ]
}

/**
 * The fields whose last change came from another window.
 *
 * `own`: the fields that this window changed. `changed`: all fields that differ in main's response. `former`:
 * the result of the previous call.
 */
export function changedElsewhere(
  former: ReadonlySet<SettingName>,
  changed: readonly SettingName[],
  own: readonly SettingName[],
): ReadonlySet<SettingName> {
  return new Set([...former, ...changed].filter((name) => !own.includes(name)))
}
