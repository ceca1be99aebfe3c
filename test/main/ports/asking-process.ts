import { systemRoutes } from '../../../main/hosts/desktop/system-proxy.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'

/**
 * Sends one request to each address in its arguments, with a secret in head and body, and prints the outcomes
 * as JSON.
 *
 * SYSTEM_PROXY is the proxy that the desktop host's system returns for every address.
 */
const { SYSTEM_PROXY } = process.env
const resolveProxy = async () => SYSTEM_PROXY ?? ''
const http =
  SYSTEM_PROXY === undefined
    ? nodeHttp(process.env)
    : nodeHttp(process.env, systemRoutes(resolveProxy, process.env))
for (const url of process.argv.slice(2)) {
  const outcome = await http.send({
    method: 'POST',
    url,
    headers: { authorization: 'Bearer access-token-of-the-test' },
    body: 'refresh_token=refresh-token-of-the-test',
    timeoutMs: 10_000,
  })
  process.stdout.write(`${JSON.stringify({ url, ...outcome, headers: undefined })}\n`)
}
