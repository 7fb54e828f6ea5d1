import { scenariosOf, testShortForms } from './support/short-form.ts'

testShortForms(scenariosOf.faults)
