import { TradeStationClient } from 'tradestation-api-ts'
import { onTestFinished } from 'vitest'

interface Pointed {
  defaults: { baseURL?: string }
}

/** The client's two hosts are hard-coded in it. Here, both lead to the gateway. */
export function brokerageClient(origin: string, key: string): TradeStationClient {
  const client = new TradeStationClient({ clientId: 'any', refresh_token: key, environment: 'Simulation' })
  const { httpClient } = client as unknown as {
    httpClient: { axiosInstance: Pointed; tokenManager: { axiosInstance: Pointed } }
  }
  httpClient.axiosInstance.defaults.baseURL = origin
  httpClient.tokenManager.axiosInstance.defaults.baseURL = origin
  onTestFinished(() => client.closeAllStreams())
  return client
}
