const PATH = '/v3/brokerage/accounts'

/** The environment variable from which the examples read the program's key. */
export const KEY_VARIABLE = 'HEADROOM_KEY'

/** Examples that read the accounts through the gateway at `url`. No example contains a key. */
export function programExamples(url: string) {
  return [
    {
      language: 'Python',
      code: [
        'import os, requests',
        'api = requests.Session()',
        `key = os.environ["${KEY_VARIABLE}"]`,
        'api.headers["Authorization"] = "Bearer " + key',
        `api.get("${url}${PATH}").json()`,
      ].join('\n'),
    },
    {
      language: 'Node',
      code: [
        `const key = process.env.${KEY_VARIABLE}`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the example has a template of its own
        'const headers = { Authorization: `Bearer ${key}` }',
        `const base = '${url}'`,
        `await fetch(base + '${PATH}', { headers })`,
      ].join('\n'),
    },
    {
      language: 'curl',
      code: `curl -H "Authorization: Bearer $${KEY_VARIABLE}" \\\n  ${url}${PATH}`,
    },
    {
      language: 'Spreadsheet (Power Query)',
      code: [
        '= Json.Document(Web.Contents(',
        `  "${url}${PATH}",`,
        `  [Headers=[Authorization="Bearer " & ${KEY_VARIABLE}]]))`,
      ].join('\n'),
    },
  ]
}
