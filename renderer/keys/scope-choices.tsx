import { EXTRA_SCOPES, type ExtraScope } from '../../app/sign-in/authorize-url.ts'
import { classesOf } from '../components/classes.ts'
import sheet from './keys.module.css'

const css = classesOf(sheet)

const SCOPE_WORDS: Readonly<Record<ExtraScope, string>> = {
  Matrix: 'market depth streams',
  OptionSpreads: 'risk and reward of option spreads',
}

/**
 * The optional scopes, each with the quotas that need it. The key must be allowed to use a requested scope.
 */
export function ScopeChoices() {
  return (
    <fieldset className={css('choices')}>
      <legend>Extra permissions</legend>
      {EXTRA_SCOPES.map((scope) => (
        <label key={scope}>
          <input type="checkbox" name="scope" value={scope} />
          <span>
            {scope} <small>{SCOPE_WORDS[scope]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

export function chosenScopes(form: FormData): ExtraScope[] {
  const chosen = form.getAll('scope')
  return EXTRA_SCOPES.filter((scope) => chosen.includes(scope))
}
