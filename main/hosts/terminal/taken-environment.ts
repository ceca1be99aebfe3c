/** What a person hands over by the environment because a flag would show it to everybody. */
export const SECRETS = [
  'HEADROOM_PASSPHRASE',
  'HEADROOM_CLIENT_SECRET',
  'HEADROOM_REFRESH_TOKEN',
  'HEADROOM_METRICS_TOKEN',
  'HEADROOM_SIMULATOR_CONTROL',
] as const
export type SecretName = (typeof SECRETS)[number]

/**
 * The environment as it was at the start. Its secrets are taken out of the process's own: a report of a crash lists
 * that, and every program that is started from here, the browser among them, would inherit it.
 */
export function takenEnvironment(own: NodeJS.ProcessEnv): Readonly<NodeJS.ProcessEnv> {
  const taken = { ...own }
  for (const name of SECRETS) delete own[name]
  return taken
}
