import { getPrograms } from '../debian-package.ts'

export interface Prometheus {
  readonly server: string
  /** Its checker, `promtool`. */
  readonly tool: string
}

/** A real Prometheus. If it can't be installed, prints one line and resolves to `undefined`. */
export const getPrometheus = (say: (line: string) => void): Promise<Prometheus | undefined> =>
  getPrograms(
    {
      name: 'prometheus',
      programs: { server: 'usr/bin/prometheus', tool: 'usr/bin/promtool' },
      size: 20,
      without: 'the metrics are not given to a real Prometheus',
    },
    say,
  )
