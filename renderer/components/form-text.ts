/** A form's text by its name, without the blanks around it that come with pasting. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
