import { getPrograms } from '../debian-package.ts'

/** The path of a real NATS server. If it can't be installed, prints one line and resolves to `undefined`. */
export async function getNatsServer(say: (line: string) => void): Promise<string | undefined> {
  const found = await getPrograms(
    {
      name: 'nats-server',
      programs: { server: 'usr/sbin/nats-server' },
      size: 4,
      without: 'the desk is not tried with a real NATS server',
    },
    say,
  )
  return found?.server
}
