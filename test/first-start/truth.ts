import { z } from 'zod'

/** What the simulator itself counts: `GET /control/state` and `GET /control/ledger`. */
const stateOf = z.object({
  at: z.number(),
  requests: z.array(
    z.object({
      category: z.string(),
      limit: z.number(),
      periodSeconds: z.number(),
      remaining: z.number(),
      resetSeconds: z.number(),
      elsewhere: z.object({ accepted: z.number(), refused: z.number() }),
    }),
  ),
  slots: z.array(
    z.object({ category: z.string(), limit: z.number(), remaining: z.number(), own: z.number() }),
  ),
  streams: z.array(z.object({ id: z.string(), category: z.string() })),
})

const ledgerOf = z.object({
  requests: z.array(
    z.object({ atMs: z.number(), path: z.string(), category: z.string().optional(), status: z.number() }),
  ),
})

/** The simulator's counts at one time. */
export type Truth = z.infer<typeof stateOf> & { readonly ledger: z.infer<typeof ledgerOf>['requests'] }

/** Reads the counts of the simulator at `origin`. */
export async function readTruth(origin: string, secret: string): Promise<Truth> {
  const get = async (name: string): Promise<unknown> => {
    const answer = await fetch(`${origin}/control/${name}`, { headers: { 'x-simulator-control': secret } })
    if (!answer.ok) throw new Error(`the control surface answered ${answer.status}`)
    return answer.json()
  }
  const [state, ledger] = [await get('state'), await get('ledger')]
  return { ...stateOf.parse(state), ledger: ledgerOf.parse(ledger).requests }
}
