import { chooseCategory } from '../capacity/chosen-category.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { Shape } from '../components/shape.tsx'
import { useParts, useShown, useShownValue } from '../state/window-parts.ts'
import { type ShownFinding, shownFindings } from './finding-chips.tsx'
import { RemedyButton } from './remedy-button.tsx'
import sheet from './verdict.module.css'

const css = classesOf(sheet)

export function FindingsDialog() {
  const findings = useShownValue(shownFindings) ?? []
  const name = useShown(({ profile }) => profile.name)
  return (
    <DialogFrame
      title={`Health of ${name ?? 'the key'}`}
      about="Worst first. Problems clear automatically."
      width="medium"
    >
      {findings.length === 0 ? (
        <p>Nothing is wrong.</p>
      ) : (
        <ul className={css('findings')} aria-label="Findings">
          {findings.map((finding) => (
            <FindingRow key={`${finding.aspect} ${finding.subject} ${finding.label}`} finding={finding} />
          ))}
        </ul>
      )}
    </DialogFrame>
  )
}

function FindingRow({ finding }: { readonly finding: ShownFinding }) {
  const { view, look } = useParts()
  const { remedy, aspect, severity, subject, label, title, text, action, detail } = finding
  return (
    <li data-finding={aspect} data-severity={severity}>
      <Shape severity={severity} label={label} />
      <div>
        <b className={css('finding-title')}>
          <span className="word">{title}</span> {text}
        </b>
        <p>
          {action} {detail}
        </p>
      </div>
      <RemedyButton remedy={remedy} />
      {aspect === 'quotas' && subject !== undefined && (
        <Button
          aria-label={`Show ${subject}`}
          onClick={() => {
            chooseCategory({ view, look }, subject)
            view.setState({ dialog: undefined, page: 'dashboard', panel: 'chart' })
          }}
        >
          Show
        </Button>
      )}
    </li>
  )
}
