import { type Html, type HtmlPart, html } from './html.ts'
import type { Visit } from './page-request.ts'

/** A form that is posted to `action`; `shown` are the facts that the person reads and agrees to by sending it. */
export function postForm(visit: Visit, action: string, shown: unknown, content: HtmlPart): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${visit.tokens.make(action, shown)}">
${content}
</form>`
}

/** A form with nothing but a button. */
export function buttonForm(visit: Visit, action: string, shown: unknown, words: string): Html {
  return postForm(visit, action, shown, html`<button>${words}</button>`)
}

/** One of several things to choose. */
export interface Choice {
  readonly value: string
  readonly words: HtmlPart
  readonly hint?: HtmlPart
}

/** A group of radio buttons; `chosen` is what was chosen before, else the first is. */
export function choiceOf(name: string, legend: string, choices: readonly Choice[], chosen: string | null): Html {
  const selected = choices.find(({ value }) => value === chosen) ?? choices[0]
  return html`<fieldset><legend>${legend}</legend>
${choices.map(
  (choice) =>
    html`<label class="choice"><input type="radio" name="${name}" value="${choice.value}" required${
      choice === selected && html` checked`
    }><span>${choice.words}${choice.hint && html`<small>${choice.hint}</small>`}</span></label>\n`,
)}</fieldset>`
}

interface TextField {
  readonly name: string
  readonly type: 'email'
  readonly label: string
  /** What was sent before. */
  readonly form: URLSearchParams
}

/** A line of text that has to be filled in. */
export function textField({ name, type, label, form }: TextField): Html {
  return html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${type}" required value="${form.get(name)}"></p>`
}
