// The public surface of the rules, grouped by what one came to do. test/surface.test.ts freezes this list.

// put a question, and know how it ended
export { type Answer, type AnswerDigests, answerDigests, type Judged, judgeAnswer } from './ask/answer.ts'
export { liftComment } from './ask/answer-comment.ts'
export { type AnswerWarning, answerWarnings } from './ask/answer-warnings.ts'
export {
  type Ask,
  type AskDraft,
  type AskState,
  answer,
  at,
  type CastVote,
  draftProblem,
  expire,
  type FastAnswer,
  type KeptVote,
  type Moved,
  mayCancel,
  needsSeveral,
  raise,
  type Surface,
  type Vote,
  type WithdrawReason,
  withdraw,
} from './ask/ask.ts'
export { approved, decisionForm, isApprovalForm, isDecision } from './ask/decision.ts'
export { type Approver, approverNames, type Electorate, mayDecide, only, type Person } from './ask/electorate.ts'
export { type AskOutcome, isYes, outcomeOf } from './ask/outcome.ts'
export {
  type AnswerName,
  type NamedOutcome,
  nameAnswer,
  nameContent,
  namedOutcomeOf,
  namedOutcomes,
  type Verdict,
  verdicts,
} from './ask/person-answer.ts'
export type { AskingCall, Question, SecretPage } from './ask/question.ts'
export { type Full, isTooManyOpen, type OpenLimits, TooManyOpen } from './ask/room.ts'

// ask with a form
export {
  boolean,
  type ChoicesSettings,
  choice,
  choices,
  form,
  type ListSettings,
  list,
  type NumberSettings,
  number,
  type Options,
  optional,
  type Part,
  type TextSettings,
  text,
} from './form/build.ts'
export { type Checked, type Checking, type ContentIssue, checkContent } from './form/check.ts'
export { encodeForm, type Revision2025 } from './form/encode.ts'
export type { Encoded } from './form/encode-2025-06-18.ts'
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Content,
  ContentOf,
  Field,
  FieldValue,
  Form,
  FormOf,
  ListField,
  NumberField,
  Option,
  TextField,
  TextFormat,
  TextRules,
} from './form/form.ts'
export { mustBeFilled } from './form/form.ts'
export { listOfText, textOfList } from './form/list-text.ts'
export { type CompiledPattern, type CompilePattern, ownPatterns } from './form/patterns.ts'
export type { FormProblem, ProblemCode } from './form/problems.ts'
export { type FormRead, readForm } from './form/read.ts'

// show what a server says
export type { ShownHost } from './screen/host.ts'
export type { UrlWarning, UrlWarningCode } from './screen/host-warnings.ts'
export { looksLikeSecret, type SecretShape } from './screen/secret-shapes.ts'
export { contradicts, screenOptions } from './screen/options.ts'
export { type AskedIn, type ScreenedField, type SecretFinding, screenForSecrets } from './screen/secrets.ts'
export {
  oneLine,
  shownInTerminal,
  shownOnOneLine,
  type TextOptions,
  type TextSurface,
  visibleText,
} from './screen/text.ts'
export { screenUrl, type UrlOptions, type UrlRefusal, type UrlScreening } from './screen/url.ts'

// show an ask in the inbox
export { askView, type Naming } from './inbox/ask-view.ts'
export { drawField } from './inbox/draw-field.ts'
export { endingInWords } from './inbox/ending.ts'
export type {
  JsonFieldView,
  PlayBody,
  PlayFieldView,
  PlayRunView,
  PlayToolView,
  PlayView,
} from './inbox/play-view.ts'
export type {
  AnswerBody,
  AnsweredAs,
  AnsweredView,
  AskerView,
  AskPageView,
  AskView,
  BooleanFieldView,
  ChainView,
  ChangeView,
  ChoiceFieldView,
  ChoicesFieldView,
  CallView,
  DecisionView,
  DrawnValue,
  FieldView,
  FiguresView,
  HandOverBody,
  InboxProblem,
  InboxProblemCode,
  LinkView,
  ListFieldView,
  LoginStartView,
  MeView,
  NonceView,
  NumberFieldView,
  OneAskView,
  OptionView,
  PersonView,
  ProofView,
  QuestionView,
  QuorumView,
  SealedSecret,
  SecretView,
  SignedInView,
  SignInView,
  StateView,
  TextFieldView,
  ToolFigures,
  VoteView,
} from './inbox/view.ts'

// name exact bytes
export {
  type Action,
  actionDigest,
  type RequestIdentity,
  requestDigest,
  toolDefinitionDigest,
} from './digest/action.ts'
export { canonicalJson } from './digest/canonical.ts'
export { type DigestDomain, digestOf, isDigest } from './digest/digest.ts'
export { parseJsonStrictly, type ReadingRules, readJson } from './digest/parse.ts'

// tell an asker of ours what the protocol cannot carry
export {
  type AnswerMeta,
  type AskMeta,
  answerMeta,
  answerMetaKey,
  askCapability,
  askMeta,
  askMetaKey,
  checkedBlock,
  readAnswerMeta,
  readAskMeta,
  understandsAskMeta,
  withoutChecked,
} from './ask/ask-meta.ts'

// let state leave, and know it again
export { createKeyRing, type KeyRing, type MacPurpose, type RingKey, type SealKey } from './seal/key-ring.ts'
export {
  isSealedFor,
  type SealBinding,
  type SealRefusal,
  seal,
  stateRefused,
  type Unsealed,
  unseal,
} from './seal/seal.ts'

// sign what is decided, and check it before anything is released
export {
  type AskTerms,
  askTerms,
  type GrantTerms,
  grantSignatureProblem,
  type SignatureProblem,
  type StoredSignatures,
  signAsk,
  signatureProblem,
  signatureProblemInWords,
  signGrant,
  signVote,
} from './ask/ask-signature.ts'

// keep the record, and check it
export {
  type AuditEntry,
  type AuditKind,
  bodyDigest,
  type ChainVerdict,
  ChainVerifier,
  genesisHash,
  linkHash,
} from './audit/chain.ts'
export { type AuditProof, type ProofVerdict, type ProvenEntry, proofFormat, verifyProof } from './audit/proof.ts'
export { type Checkpoint, signCheckpoint, verifyCheckpoint } from './audit/checkpoint.ts'

// prove that an approval was used
export { type ReceiptStatement, signReceipt, type VerifiedReceipt, verifyReceipt } from './receipt/receipt.ts'

// limits, errors, names
export { AssentError, type ErrorCode, isAssentError } from './errors.ts'
export { type IdKind, isId, isName, newId, timeOfId, type RandomBytes } from './ids.ts'
export { isPlainObject, type JsonObject, type JsonValue } from './json.ts'
export { askLimits, formLimits, sealLimits, secretLimits } from './limits.ts'
export { type Revision, revisions } from './revisions.ts'
