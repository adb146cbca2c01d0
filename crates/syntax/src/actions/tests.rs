use super::*;
use crate::text::{Fragment, Span};

fn seen(text: &str) -> Vec<(&str, Role)> {
    actions(text, Engine::Any).into_iter().map(|action| (action.span.of(text), action.role)).collect()
}

fn read(text: &str, language: Language, first_arms: bool) -> String {
    let fragment = Fragment::contiguous(text, Span::new(0, text.len()));
    view(&fragment, &actions(text, Engine::Any), language, first_arms).text().to_owned()
}

#[test]
fn actions_of_each_engine_are_found_with_what_they_do() {
    let text = "{{- if .a }}{{ .b | default \"}}\" }}{{ else }}{{/* }} */}}{{ end -}}{{ $x := 1 }}";
    let expected = [
        ("{{- if .a }}", Role::Open),
        ("{{ .b | default \"}}\" }}", Role::Output),
        ("{{ else }}", Role::Arm),
        ("{{/* }} */}}", Role::Silent),
        ("{{ end -}}", Role::Close),
        ("{{ $x := 1 }}", Role::Silent),
    ];
    assert_eq!(seen(text), expected);
    let text = "{% for x in y %}{{ x }}{# it's {{ x }} #}{%- endfor %}{% raw %}{{ a }}{% endraw %}";
    let expected = [
        ("{% for x in y %}", Role::Open),
        ("{{ x }}", Role::Output),
        ("{# it's {{ x }} #}", Role::Silent),
        ("{%- endfor %}", Role::Close),
        ("{% raw %}{{ a }}{% endraw %}", Role::Output),
    ];
    assert_eq!(seen(text), expected);
    let text = "<% if a -%><%= b %><% else %><%# c %><% end %><% x.each do |y| %><%% d %>";
    let roles: Vec<Role> = seen(text).into_iter().map(|(_, role)| role).collect();
    let expected = [Role::Open, Role::Output, Role::Arm, Role::Silent, Role::Close, Role::Open];
    assert_eq!(roles, expected);
    let text = "{{#items}}{{{name}}}{{^}}{{! it's }}{{>part}}{{/items}}";
    let roles: Vec<Role> = seen(text).into_iter().map(|(_, role)| role).collect();
    let expected = [Role::Open, Role::Output, Role::Arm, Role::Silent, Role::Output, Role::Close];
    assert_eq!(roles, expected);
}

#[test]
fn templates_of_terraform_have_their_own_marks() {
    let text = "%{~ if length(a) > 0 ~}a: ${jsonencode({x = \"}\"})} $${b} %{ else }%{ endif }";
    let found = actions(text, Engine::Terraform);
    let found: Vec<(&str, Role)> =
        found.into_iter().map(|action| (action.span.of(text), action.role)).collect();
    let expected = [
        ("%{~ if length(a) > 0 ~}", Role::Open),
        ("${jsonencode({x = \"}\"})}", Role::Output),
        ("%{ else }", Role::Arm),
        ("%{ endif }", Role::Close),
    ];
    assert_eq!(found, expected);
}

#[test]
fn text_without_actions_is_left_alone() {
    for text in ["a: ${{ github.ref }}", "a: {{ b", "a: {b: {c: d}}", "a < b", "<%% x"] {
        assert_eq!(seen(text), [], "{text}");
    }
    // An apostrophe does not begin a string that ends far below.
    assert_eq!(seen("{{ it's }} and {{ b }}").len(), 2);
}

#[test]
fn the_view_of_yaml_keeps_the_lines_and_indentation() {
    let text = "a:\n  {{- if .x }}\n  b: {{ .y }}-1\n  {{- else }}\n  b: 2\n  {{- end }}\n\
                {{ if .z }}c: \"{{ .q }}\"{{ end }}\n{{ .k }}: 1\n";
    assert_eq!(
        read(text, Language::Yaml, false),
        "a:\n\n  b: xxxxxxxx-1\n\n  b: 2\n\nc: \"xxxxxxxx\"\nxxxxxxxx: 1\n"
    );
    assert_eq!(read(text, Language::Yaml, true), "a:\n\n  b: xxxxxxxx-1\n\nc: \"xxxxxxxx\"\nxxxxxxxx: 1\n");
    let over_lines = "a: 1\n{{- /* two\nlines */ -}}\nb: {{ include\n  \"x\" . }}\nc: 3\n";
    assert_eq!(read(over_lines, Language::Yaml, false), "a: 1\n\nb: xxxxxxxxxxxxxxxxxxxxx\nc: 3\n");
}

#[test]
fn values_that_json_and_toml_take_stand_for_actions() {
    let text = "{\"a{{ b }}\": {{ c }},\n{% if d %}\n \"e\": \"{{ f }}\"{% endif %}\n}";
    assert_eq!(read(text, Language::Json, false), "{\"axxxxxxx\": 1111111,\n\n \"e\": \"xxxxxxx\"\n}");
    let text = "a = {{ b }}\n{{ c }} = \"{{ d }}\"\n{{ e }}{{ f }} = 1\n";
    assert_eq!(read(text, Language::Toml, false), "a = 1.11111\n1.11111 = \"xxxxxxx\"\n1.111111111111 = 1\n");
}

#[test]
fn definitions_are_left_out() {
    let text = "{{ define \"x\" }}\n- a\n{{ end }}\nb: 1\n";
    assert_eq!(read(text, Language::Yaml, false), "\nb: 1\n");
}

#[test]
fn the_content_shows_whether_it_is_a_template() {
    let shows = |name: &str, text: &str| shows_template(name, text, &actions(text, Engine::Any));
    assert!(shows("a.yaml", "a:\n{{- if .x }}\n  b: 1\n{{- end }}\n"));
    assert!(shows("a.yaml", "a: {{ .Values.b }}\n"));
    assert!(shows("a.yaml", "a: {{ b }}\nc: {{ d }}\n"));
    assert!(shows("pod-template.yaml", "a: {{ b }}\n"));
    assert!(shows("a.yaml", "{% for x in y %}\n- {{ x }}\n{% endfor %}\n"));
    assert!(shows("a.yml", "a: <%= b %>\n"));
    // A playbook whose author forgot the quotes once.
    assert!(!shows("a.yaml", "a: \"{{ b }}\"\nc: {{ d }}\ne: {{ f }}\n"));
    assert!(!shows("a.yaml", "a: {{ b }}\n"));
    assert!(!shows("a.yaml", "run: |\n  {% if a %}\n  x\n  {% endif %}\nb: {{ c }}\n"));
}
