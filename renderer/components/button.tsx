import type { ComponentProps } from 'react'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  /** Further classes, such as `primary` or `ghost small`. */
  readonly look?: string
}

export const Button = ({ look = '', ...props }: ButtonProps) => (
  <button type="button" {...props} className={`button ${look}`.trim()} />
)
