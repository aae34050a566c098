/** The content of a knowledge case before its first edit. */
export const blankCase = {
  failure_mode_labels: [],
  case_type: [],
  model_error_type: '',
  resolution_label: '',
  symptom: '',
  model_prediction: '',
  human_review_decision: '',
  root_cause: '',
  resolution: '',
  boundary_criteria: '',
  lesson_learned: [],
  applicability: '',
  counterexample: '',
  prompt_guidance: '',
};
