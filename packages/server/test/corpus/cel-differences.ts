/**
 * Where conditions deliberately differ from CEL's own conformance tests, by the name of each test. docs/conditions.md
 * says why, under the same titles.
 */
interface Difference {
  readonly title: string;
  /** The tests of a `file/section`, with blanks between them. */
  readonly cases: readonly { readonly section: string; readonly names: string }[];
}

export const differences: readonly Difference[] = [
  {
    title: 'Unsigned integers',
    cases: [
      { section: 'basic/self_eval_zeroish', names: 'self_eval_uint_zero self_eval_uint_alias_zero' },
      {
        section: 'basic/self_eval_nonzeroish',
        names:
          'self_eval_uint_nonzero self_eval_uint_alias_nonzero self_eval_uint_hex self_eval_uint_alias_hex',
      },
      {
        section: 'comparisons/eq_literal',
        names: `eq_int_uint not_eq_int_uint eq_uint not_eq_uint eq_uint_int not_eq_uint_int eq_uint_double
          not_eq_uint_double not_eq_uint_double_nan eq_double_uint not_eq_double_uint
          eq_list_mixed_type_numbers not_eq_list_mixed_type_numbers eq_map_mixed_type_numbers
          eq_dyn_int_uint eq_dyn_uint_int eq_dyn_uint_double eq_dyn_double_uint not_eq_dyn_int_uint
          not_eq_dyn_uint_int not_eq_dyn_uint_double not_eq_dyn_double_uint`,
      },
      {
        section: 'comparisons/ne_literal',
        names: `ne_int_uint not_ne_int_uint ne_uint not_ne_uint ne_uint_double not_ne_uint_double
          not_ne_uint_double_nan ne_double_uint not_ne_double_uint ne_mixed_types`,
      },
      {
        section: 'comparisons/lt_literal',
        names: `lt_uint not_lt_uint lt_dyn_int_uint lt_dyn_uint_int lt_dyn_uint_double lt_dyn_double_uint
          not_lt_dyn_int_uint not_lt_dyn_uint_int not_lt_dyn_uint_double not_lt_dyn_double_uint
          lt_dyn_int_big_uint lt_dyn_small_int_uint not_lt_dyn_uint_small_int not_lt_dyn_big_uint_int
          not_lt_dyn_uint_small_double lt_dyn_uint_big_double not_lt_dyn_big_double_uint`,
      },
      {
        section: 'comparisons/gt_literal',
        names: `gt_uint not_gt_uint gt_dyn_int_uint gt_dyn_uint_int gt_dyn_uint_double gt_dyn_double_uint
          not_gt_dyn_int_uint not_gt_dyn_uint_int not_gt_dyn_uint_double not_gt_dyn_double_uint
          not_gt_dyn_int_big_uint not_gt_dyn_small_int_uint gt_dyn_uint_small_int gt_dyn_big_uint_int
          gt_dyn_uint_small_double not_gt_dyn_uint_big_double gt_dyn_big_double_uint`,
      },
      {
        section: 'comparisons/lte_literal',
        names: `lte_uint_lt lte_uint_eq not_lte_uint_gt lte_dyn_int_uint lte_dyn_uint_int lte_dyn_uint_double
          lte_dyn_double_uint not_lte_dyn_int_uint not_lte_dyn_uint_int not_lte_dyn_uint_double
          not_lte_dyn_double_uint lte_dyn_int_big_uint lte_dyn_small_int_uint not_lte_dyn_uint_small_int
          not_lte_dyn_big_uint_int not_lte_dyn_uint_small_double lte_dyn_uint_big_double
          not_lte_dyn_big_double_uint`,
      },
      {
        section: 'comparisons/gte_literal',
        names: `gte_uint_gt gte_uint_eq not_gte_uint_lt gte_dyn_int_uint gte_dyn_uint_int gte_dyn_uint_double
          gte_dyn_double_uint not_gte_dyn_int_uint not_gte_dyn_uint_int not_gte_dyn_uint_double
          not_gte_dyn_double_uint not_gte_dyn_int_big_uint not_gte_dyn_small_int_uint
          gte_dyn_uint_small_int gte_dyn_big_uint_int gte_dyn_uint_small_double
          not_gte_dyn_uint_big_double gte_dyn_big_double_uint`,
      },
      { section: 'comparisons/in_list_literal', names: 'elem_in_mixed_type_list_cross_type' },
      {
        section: 'comparisons/in_map_literal',
        names: 'key_in_mixed_key_type_map key_in_mixed_key_type_map_cross_type',
      },
      { section: 'comparisons/bound', names: 'uint_eq_right_false' },
      { section: 'conversions/double', names: 'uint_zero uint_pos uint_max_exact uint_range' },
      { section: 'conversions/int', names: 'uint uint_zero uint_max_exact' },
      { section: 'conversions/string', names: 'uint' },
      {
        section: 'conversions/uint',
        names: 'int int_max double double_truncate double_half double_big_exact double_big_precision string',
      },
      { section: 'conversions/identity', names: 'uint' },
      {
        section: 'fields/map_fields',
        names: `map_key_uint64 map_key_string map_key_mixed_type map_key_mixed_numbers_double_key
          map_key_mixed_numbers_uint_key map_key_mixed_numbers_int_key map_value_uint64 map_value_list`,
      },
      { section: 'fields/in', names: 'mixed_numbers_and_keys_present mixed_numbers_and_keys_absent' },
      {
        section: 'integer_math/uint64_math',
        names: `add sub multiply divide mod multiply_zero add_left_identity add_right_identity add_commutative
          add_associative mul_left_identity mul_right_identity mul_commutative mul_associative
          add_mul_distribute`,
      },
      { section: 'lists/index', names: 'zero_based_uint' },
      {
        section: 'lists/in',
        names: 'singleton last uint_in_ints uint_in_doubles int_in_uints double_in_uints',
      },
      { section: 'parse/nest', names: 'funcall' },
      { section: 'type_deduction/constant_literals', names: 'uint' },
    ],
  },
  {
    title: 'Bytes',
    cases: [
      { section: 'basic/self_eval_zeroish', names: 'self_eval_bytes_empty' },
      { section: 'basic/self_eval_nonzeroish', names: 'self_eval_bytes_escape self_eval_bytes_invalid_utf8' },
      { section: 'comparisons/eq_literal', names: 'eq_bytes not_eq_bytes not_eq_dyn_bytes_null' },
      { section: 'comparisons/ne_literal', names: 'ne_bytes not_ne_bytes' },
      { section: 'comparisons/lt_literal', names: 'lt_bytes not_lt_bytes_same not_lt_bytes_width' },
      { section: 'comparisons/gt_literal', names: 'gt_bytes_one gt_bytes_one_to_empty not_gt_bytes_sorting' },
      { section: 'comparisons/lte_literal', names: 'lte_bytes_empty not_lte_bytes_length' },
      {
        section: 'comparisons/gte_literal',
        names: 'gte_bytes_to_empty not_gte_bytes_empty_to_nonempty gte_bytes_samelength',
      },
      { section: 'comparisons/bound', names: 'bytes_gt_left_false' },
      { section: 'conversions/bytes', names: 'string_empty string string_unicode string_unicode_vs_literal' },
      { section: 'conversions/string', names: 'bytes bytes_unicode' },
      { section: 'conversions/identity', names: 'bytes' },
      {
        section: 'fields/map_fields',
        names: 'map_bad_key_type_or_true map_bad_key_type_and_false map_value_bytes',
      },
      { section: 'string/size', names: 'bytes_empty bytes' },
      { section: 'string/bytes_concat', names: 'concat left_unit right_unit empty_empty' },
      { section: 'type_deduction/constant_literals', names: 'bytes' },
    ],
  },
  {
    title: 'Types as values',
    cases: [
      { section: 'conversions/dyn', names: 'dyn_heterogeneous_list' },
      {
        section: 'conversions/type',
        names: `bool bool_denotation int int_denotation eq_same uint uint_denotation double double_denotation
          null_type null_type_denotation string string_denotation bytes bytes_denotation list
          list_denotation lists_monomorphic map map_denotation map_monomorphic eq_diff neq_same neq_diff
          meta type type_denotation type_type`,
      },
      { section: 'timestamps/timestamp_conversions', names: 'toType_timestamp type_comparison' },
      { section: 'timestamps/duration_conversions', names: 'toType_duration type_comparison' },
    ],
  },
  {
    title: 'Keys other than text',
    cases: [
      { section: 'comparisons/eq_literal', names: 'eq_map_value_mixed_types not_eq_map_value_null' },
      { section: 'comparisons/ne_literal', names: 'not_ne_map_int_to_float' },
      {
        section: 'fields/map_fields',
        names: `map_key_int64 map_key_bool map_no_such_key_or_true map_no_such_key_and_false map_value_null
          map_value_bool map_value_float map_value_int64`,
      },
      { section: 'fields/in', names: 'empty singleton' },
      { section: 'lists/size', names: 'map' },
      { section: 'macros/exists', names: 'map_key_type_shortcircuit map_key_type_exhaustive' },
      { section: 'macros/exists_one', names: 'map_one' },
      { section: 'parse/nest', names: 'map_literal' },
      { section: 'parse/repeat', names: 'map_literal' },
    ],
  },
  {
    title: 'Names that do not exist',
    cases: [
      { section: 'basic/variables', names: 'unbound_is_runtime_error' },
      { section: 'basic/functions', names: 'unbound_is_runtime_error' },
      {
        section: 'fields/qualified_identifier_resolution',
        names: `qualified_ident map_field_select qualified_identifier_resolution_unchecked
          ident_with_longest_prefix_check`,
      },
      {
        section: 'parse/receiver_function_names',
        names: `as break const continue else for function if import let loop package namespace return var void
          while`,
      },
    ],
  },
  {
    title: 'Macros with two variables',
    cases: [
      {
        section: 'macros2/exists',
        names: `list_elem_all_true list_elem_some_true list_elem_none_true list_elem_type_shortcircuit
          list_elem_type_exhaustive list_empty map_key not_map_key map_key_type_shortcircuit
          map_key_type_exhaustive`,
      },
      {
        section: 'macros2/all',
        names: `list_elem_all_true list_elem_some_true list_elem_none_true list_elem_type_shortcircuit
          list_elem_type_exhaustive list_elem_error_shortcircuit list_empty map_key`,
      },
      {
        section: 'macros2/existsOne',
        names: 'list_empty list_one_true list_one_false list_none list_one list_many list_all map_one',
      },
      { section: 'macros2/transformList', names: 'empty empty_filter one one_filter many many_filter' },
      { section: 'macros2/transformMap', names: 'empty empty_filter one one_filter many many_filter' },
    ],
  },
  {
    title: 'matches()',
    cases: [
      {
        section: 'string/matches',
        names: 'basic empty_target empty_arg empty_empty re_concat re_alt re_rep unicode unicode_smp',
      },
    ],
  },
  {
    title: 'NUL characters',
    cases: [
      {
        section: 'parse/string_literals',
        names: `single_quoted_octal_escapes double_quoted_octal_escapes triple_single_quoted_octal_escapes
          triple_double_quoted_octal_escapes single_quoted_lower_x_escapes double_quoted_lower_x_escapes
          triple_single_quoted_lower_x_escapes triple_double_quoted_lower_x_escapes
          single_quoted_upper_x_escapes double_quoted_upper_x_escapes
          triple_single_quoted_upper_x_escapes triple_double_quoted_upper_x_escapes
          single_quoted_lower_u_escapes double_quoted_lower_u_escapes
          triple_single_quoted_lower_u_escapes triple_double_quoted_lower_u_escapes
          single_quoted_upper_u_escapes double_quoted_upper_u_escapes
          triple_single_quoted_upper_u_escapes triple_double_quoted_upper_u_escapes`,
      },
    ],
  },
  {
    title: 'Integers of any size',
    cases: [
      { section: 'comparisons/lt_literal', names: 'not_lt_dyn_int_big_lossy_double' },
      { section: 'comparisons/gt_literal', names: 'not_gt_dyn_big_double_int' },
      { section: 'comparisons/lte_literal', names: 'lte_dyn_big_double_int' },
      { section: 'comparisons/gte_literal', names: 'gte_dyn_int_big_lossy_double' },
      { section: 'conversions/int', names: 'double_int_max_range double_int_min_range double_range' },
      { section: 'conversions/uint', names: 'double_uint_max_range' },
      { section: 'fp_math/fp_math', names: 'fp_overflow_positive fp_overflow_negative' },
      {
        section: 'integer_math/int64_math',
        names: `int64_overflow_positive int64_overflow_negative int64_overflow_add_negative
          int64_overflow_sub_positive int64_min_negate int64_min_negate_mul int64_min_negate_div
          int64_overflow_mul_positive int64_overflow_mul_negative`,
      },
    ],
  },
  {
    title: 'Results that would be rounded',
    cases: [
      { section: 'conversions/double', names: 'int_range' },
      { section: 'conversions/int', names: 'double_big_precision' },
    ],
  },
  {
    title: 'Division by zero',
    cases: [
      { section: 'comparisons/eq_literal', names: 'not_eq_double_nan not_eq_int_double_nan' },
      { section: 'comparisons/ne_literal', names: 'not_ne_double_nan not_ne_int_double_nan ne_double_nan' },
      { section: 'fp_math/fp_math', names: 'divide_zero' },
    ],
  },
  {
    title: 'Times to the millisecond',
    cases: [
      { section: 'timestamps/timestamp_conversions', names: 'toString_timestamp_nanos' },
      {
        section: 'timestamps/timestamp_range',
        names:
          'add_duration_nanos_over add_duration_nanos_under sub_time_duration_over sub_time_duration_under',
      },
    ],
  },
];
