/** Splits main's message: the first sentence says what happened, the rest what to do. */
export function firstSentence(message: string): { readonly title: string; readonly text: string } {
  const end = message.indexOf('. ')
  if (end < 0) return { title: message, text: '' }
  return { title: message.slice(0, end), text: message.slice(end + 2) }
}
