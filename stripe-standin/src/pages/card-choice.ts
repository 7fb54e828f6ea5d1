import { type PageCard, pageCards } from '../billing/customers.ts'
import { canPay } from '../billing/invoices/payments.ts'
import { cardDeclined } from '../http/errors.ts'
import type { PaymentMethod } from '../state/records.ts'
import { cardInWords } from './format.ts'
import { type Choice, choiceOf } from './forms.ts'
import type { Html } from './html.ts'
import { StaleForm } from './page-request.ts'

/** `on_file` is the card that the customer has already. */
export type ChosenCard = PageCard | 'on_file'

/** The cards to choose from: that on file, if it is given, and the stand-in's own. */
export function cardChoice(
  form: URLSearchParams,
  { chargedNow, onFile }: { readonly chargedNow: boolean; readonly onFile?: PaymentMethod | null },
): Html {
  const { works, declines } = pageCards
  const choices: Choice[] = [
    { value: 'works', words: 'A card that works', hint: `${cardInWords(works)}. Every payment succeeds.` },
    chargedNow
      ? { value: 'declines', words: 'A card that is declined', hint: `${cardInWords(declines)}. The payment fails.` }
      : {
          value: 'declines',
          words: 'A card that fails later',
          hint: `${cardInWords(declines)}. It is accepted now and declined whenever it is charged.`,
        },
  ]
  if (onFile) choices.unshift({ value: 'on_file', words: 'The card on file', hint: `${cardInWords(onFile)}.` })
  return choiceOf('card', 'Card', choices, form.get('card'))
}

/** The card that a form sent, which is one of those it offered. */
export function chosenCard(form: URLSearchParams): ChosenCard {
  const value = form.get('card')
  if (value === 'works' || value === 'declines' || value === 'on_file') return value
  throw new StaleForm()
}

/** A new card, where none is on file to choose. */
export function chosenNewCard(form: URLSearchParams): PageCard {
  const card = chosenCard(form)
  if (card === 'on_file') throw new StaleForm()
  return card
}

/** Refuses a card that would be declined, before anything is changed. */
export function mustPay(card: ChosenCard, onFile: PaymentMethod | null): void {
  if (card === 'declines' || (card === 'on_file' && !canPay(onFile))) throw cardDeclined()
}
