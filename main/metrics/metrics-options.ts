import { MIN_BEARER } from './metrics-server.ts'

export interface MetricsOptions {
  readonly port: number
  readonly bearer: string
}

export type MetricsChoice =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly options: MetricsOptions }
  | { readonly kind: 'usage'; readonly line: string }

const VARIABLE = 'HEADROOM_METRICS_TOKEN'

/** Off unless asked for, and never without a bearer: it comes from the environment, so that no process list shows it. */
export function metricsChoice(
  port: number | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): MetricsChoice {
  if (port === undefined) return { kind: 'off' }
  const bearer = environment[VARIABLE] ?? ''
  if (bearer.length < MIN_BEARER || /\s/.test(bearer)) {
    const line = `--metrics-port needs a bearer in ${VARIABLE}, of ${MIN_BEARER} characters or more without spaces`
    return { kind: 'usage', line }
  }
  return { kind: 'on', options: { port, bearer } }
}
