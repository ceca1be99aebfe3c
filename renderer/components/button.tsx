import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  /** Further classes, such as `primary` or `ghost small`. */
  readonly look?: string
}

export const Button = ({ look = '', ...props }: ButtonProps) => (
  <button type="button" {...props} className={`button ${look}`.trim()} />
)

interface IconButtonProps extends ComponentProps<'button'> {
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
