/** The ways in which other programs write a secret: as it is, in a URL, in JSON, and in a host name. Each once. */
export function spellingsOf(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret.toWellFormed())
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [
    ...new Set([
      secret,
      inUrl,
      inUrl.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
      inJson,
      inJson.replaceAll('/', '\\/'),
      secret.toLowerCase(),
    ]),
  ]
}
