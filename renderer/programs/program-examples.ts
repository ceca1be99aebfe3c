/** A ready-made line for one language. */
export interface ProgramExample {
  readonly language: string
  readonly code: string
}

const PATH = '/v3/brokerage/accounts'

/** Lines that read the accounts through the gateway at `url`, with the key of a program. */
export function programExamples(url: string, key: string): readonly ProgramExample[] {
  return [
    {
      language: 'Python',
      code: `requests.get("${url}${PATH}", headers={"Authorization": "Bearer ${key}"}).json()`,
    },
    {
      language: 'Node',
      code: `await (await fetch('${url}${PATH}', { headers: { authorization: 'Bearer ${key}' } })).json()`,
    },
    { language: 'curl', code: `curl -H 'Authorization: Bearer ${key}' ${url}${PATH}` },
    {
      language: 'Spreadsheet (Power Query)',
      code: `= Json.Document(Web.Contents("${url}${PATH}", [Headers=[Authorization="Bearer ${key}"]]))`,
    },
  ]
}
