import { type PageTestCard, pageTestCards } from '../billing/customers.ts'
import { canBeCharged } from '../billing/invoices/payments.ts'
import { cardDeclined } from '../state/errors.ts'
import type { PaymentMethod } from '../state/records.ts'
import { formatCard } from './format.ts'
import { type Html, type HtmlPart, html } from './html.ts'
import { type PageRequest, StaleFormError } from './page-request.ts'

/** A form posted to `action`; `shown` is the state that the customer sees and agrees to. */
export function postForm(pageRequest: PageRequest, action: string, shown: unknown, content: HtmlPart): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="token" value="${pageRequest.tokens.create(action, shown)}">
${content}
</form>`
}

export function buttonForm(pageRequest: PageRequest, action: string, shown: unknown, label: string): Html {
  return postForm(pageRequest, action, shown, html`<button>${label}</button>`)
}

interface RadioOption {
  readonly value: string
  readonly label: HtmlPart
  readonly hint?: HtmlPart
}

/** A group of radio buttons; `chosen` is the previous choice, by default the first. */
export function radioGroup(name: string, legend: string, choices: readonly RadioOption[], chosen: string | null): Html {
  const selected = choices.find(({ value }) => value === chosen) ?? choices[0]
  return html`<fieldset><legend>${legend}</legend>
${choices.map(
  (choice) =>
    html`<label class="choice"><input type="radio" name="${name}" value="${choice.value}" required${
      choice === selected && html` checked`
    }><span>${choice.label}${choice.hint && html`<small>${choice.hint}</small>`}</span></label>\n`,
)}</fieldset>`
}

interface TextField {
  readonly name: string
  readonly type: 'email'
  readonly label: string
  /** The previous submission. */
  readonly form: URLSearchParams
}

export function textField({ name, type, label, form }: TextField): Html {
  return html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${type}" required value="${form.get(name)}"></p>`
}

/** `on_file` is the customer's present card. */
type CardChoice = PageTestCard | 'on_file'

/** Choice of the stand-in's cards and, if given, the card on file. */
export function cardRadioGroup(
  form: URLSearchParams,
  { chargedNow, onFile }: { readonly chargedNow: boolean; readonly onFile?: PaymentMethod | null },
): Html {
  const { works, declines } = pageTestCards
  const choices: RadioOption[] = [
    { value: 'works', label: 'A card that works', hint: `${formatCard(works)}. Every payment succeeds.` },
    chargedNow
      ? { value: 'declines', label: 'A card that is declined', hint: `${formatCard(declines)}. The payment fails.` }
      : {
          value: 'declines',
          label: 'A card that fails later',
          hint: `${formatCard(declines)}. It is accepted now, and every later charge is declined.`,
        },
  ]
  if (onFile) choices.unshift({ value: 'on_file', label: 'The card on file', hint: `${formatCard(onFile)}.` })
  return radioGroup('card', 'Card', choices, form.get('card'))
}

/** The submitted choice; it must be one of those offered. */
export function readCardChoice(form: URLSearchParams): CardChoice {
  const value = form.get('card')
  if (value === 'works' || value === 'declines' || value === 'on_file') return value
  throw new StaleFormError()
}

/** The submitted choice on a form that does not offer a card on file. */
export function readNewCardChoice(form: URLSearchParams): PageTestCard {
  const card = readCardChoice(form)
  if (card === 'on_file') throw new StaleFormError()
  return card
}

/** Throws if the card would be declined, before anything is changed. */
export function checkCardPays(card: CardChoice, onFile: PaymentMethod | null): void {
  if (card === 'declines' || (card === 'on_file' && !canBeCharged(onFile))) throw cardDeclined()
}
