/** The response of a simulated service to a refresh, as any program sends one. */
export const refreshed = (
  origin: string,
  { clientId = 'sim-key', refreshToken = 'sim-refresh' } = {},
): Promise<Response> =>
  fetch(`${origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
    }),
  })

export async function accessTokenOf(...at: Parameters<typeof refreshed>): Promise<string> {
  const { access_token: token } = (await (await refreshed(...at)).json()) as { access_token: string }
  return token
}
