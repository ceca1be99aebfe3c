/** Buttons and lists of choices, styled by `controls.css`. The first paint needs no other part of a form. */

import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  /** Further classes, such as `primary` or `ghost small`. */
  readonly look?: string
}

export const Button = ({ look = '', ...props }: ButtonProps) => (
  <button type="button" {...props} className={`button ${look}`.trim()} />
)

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  readonly icon: IconName
  /** The accessible name. */
  readonly label: string
  readonly pressed?: boolean
}

export const IconButton = ({ icon, label, pressed, ...props }: IconButtonProps) => (
  <button type="button" {...props} className="icon-button" aria-label={label} aria-pressed={pressed}>
    <Icon name={icon} />
  </button>
)

interface SelectProps<T extends string> extends Omit<ComponentProps<'select'>, 'value'> {
  readonly value: T
  readonly choices: readonly T[]
  /** The text of a choice, if it is not the choice itself. */
  readonly words?: (choice: T) => string
  readonly onChoose: (choice: T) => void
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { value, choices, words = String, onChoose, ...rest } = props
  const find = (text: string) => choices.find((one) => one === text) ?? value
  return (
    <select {...rest} value={value} onChange={({ target }) => onChoose(find(target.value))}>
      {choices.map((one) => (
        <option key={one} value={one}>
          {words(one)}
        </option>
      ))}
    </select>
  )
}
